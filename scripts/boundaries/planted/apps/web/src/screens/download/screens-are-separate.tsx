import '../home/home.tsx';
