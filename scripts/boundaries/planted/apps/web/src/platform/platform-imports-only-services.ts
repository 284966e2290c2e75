import '../ui/button.tsx';
