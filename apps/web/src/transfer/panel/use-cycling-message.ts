// Picks a random message every five seconds and shows it for three.
import { useEffect, useState } from 'react';

const CYCLE_MS = 5000;
const SHOWN_MS = 3000;

/** Returns undefined during the pauses. A new array restarts the cycle, so callers must memoise the list. */
export function useCyclingMessage<Message>(messages: readonly Message[]): Message | undefined {
  const [message, setMessage] = useState<Message>();
  useEffect(() => {
    let hiding: ReturnType<typeof setTimeout> | undefined;
    const show = () => {
      setMessage(messages[Math.floor(Math.random() * messages.length)]);
      hiding = setTimeout(() => setMessage(undefined), SHOWN_MS);
    };
    show();
    const cycle = setInterval(show, CYCLE_MS);
    return () => {
      clearInterval(cycle);
      clearTimeout(hiding);
    };
  }, [messages]);
  return message;
}
