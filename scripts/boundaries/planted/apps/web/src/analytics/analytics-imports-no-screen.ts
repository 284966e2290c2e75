import '../screens/home/home.tsx';
