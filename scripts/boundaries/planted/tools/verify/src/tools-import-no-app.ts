import '../../../apps/web/src/ui/button.tsx';
