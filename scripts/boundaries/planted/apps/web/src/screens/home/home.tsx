import '../../sharing/sharing.tsx';
import '../../ui/button.tsx';
import './title.ts';
