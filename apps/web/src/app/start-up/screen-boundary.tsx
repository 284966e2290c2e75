// Shows an error if the code of a screen cannot be loaded: without network, or after an update replaced the old files.
import { Component, type ReactNode } from 'react';
import { StartUpError } from './start-up-error.tsx';

interface ScreenBoundaryProps {
  children: ReactNode;
}

export class ScreenBoundary extends Component<ScreenBoundaryProps, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render() {
    return this.state.hasFailed ? <StartUpError missing="code" /> : this.props.children;
  }
}
