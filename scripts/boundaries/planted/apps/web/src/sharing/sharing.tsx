import '../transfer/panel.tsx';
