import './platform/disk.ts';
import './screens/home/home.tsx';
