import '../../ui/button.tsx';
import './title.ts';
