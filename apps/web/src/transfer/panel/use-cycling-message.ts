// One of several messages by chance, shown for three seconds out of every five.
import { useEffect, useState } from 'react';

const CYCLE_MS = 5000;
const SHOWN_MS = 3000;

/** Undefined in the pauses. The list must keep its identity, or the cycle begins anew. */
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
