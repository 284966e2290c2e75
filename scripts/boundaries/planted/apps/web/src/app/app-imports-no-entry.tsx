import '../main.tsx';
