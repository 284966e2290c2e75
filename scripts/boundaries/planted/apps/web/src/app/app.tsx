import '../screens/home/home.tsx';
import '../services.ts';
