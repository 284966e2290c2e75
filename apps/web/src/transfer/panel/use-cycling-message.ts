// Shows another message every five seconds, for three seconds each.
import { useEffect, useState } from 'react';

const CYCLE_MS = 5000;
const SHOWN_MS = 3000;

/** Returns undefined during the pauses. A new array restarts the cycle, so callers must memoise the list. */
export function useCyclingMessage<Message>(
  messages: readonly Message[],
  order: 'random' | 'in turn',
): Message | undefined {
  const [message, setMessage] = useState<Message>();
  useEffect(() => {
    let hiding: ReturnType<typeof setTimeout> | undefined;
    let turn = 0;
    const show = () => {
      const index = order === 'random' ? Math.floor(Math.random() * messages.length) : turn % messages.length;
      turn += 1;
      setMessage(messages[index]);
      hiding = setTimeout(() => setMessage(undefined), SHOWN_MS);
    };
    show();
    const cycle = setInterval(show, CYCLE_MS);
    return () => {
      clearInterval(cycle);
      clearTimeout(hiding);
    };
  }, [messages, order]);
  return message;
}
