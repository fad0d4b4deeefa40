package io.sluice.client.server;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.function.Consumer;

/**
 * Runs the state machine of a push session or a read: passes it the events from transport threads,
 * and waits between them. A session or read waits for servers only in {@link #await}. Owned by the
 * task thread; {@link #put} is thread-safe.
 *
 * <pre>
 *  transport threads --put--&gt; mailbox --await--&gt; machine.on, then machine.advance
 *                            no event --await--&gt; machine.timedOut, then machine.advance
 * </pre>
 */
public final class TaskLoop<E> implements AutoCloseable {
  private final TaskTime time;
  private final Mailbox<E> mailbox;
  private long waitedNanos;

  /**
   * @param disposal frees the buffers of an event that arrives after {@link #close}
   */
  public TaskLoop(TaskTime time, Consumer<E> disposal) {
    this.time = time;
    this.mailbox = time.mailbox(disposal);
  }

  /**
   * Queues an event. Thread-safe.
   *
   * @param event takes
   */
  public void put(E event) {
    mailbox.put(event);
  }

  public long now() {
    return time.nanoTime();
  }

  /** Time spent waiting so far, in nanoseconds. */
  public long waitedNanos() {
    return waitedNanos;
  }

  /** Handles all queued events without waiting; returns whether there were any. */
  public boolean handleArrived(TaskMachine<E> machine) throws IOException {
    boolean any = handleQueued(machine);
    if (any) {
      machine.advance(time.nanoTime());
    }
    return any;
  }

  /**
   * Waits for an event, the next due time of the machine, or its timeout, and handles all queued
   * events.
   *
   * @throws InterruptedIOException if the thread was interrupted; its flag stays set
   */
  public void await(TaskMachine<E> machine) throws IOException {
    long start = time.nanoTime();
    long before = waitedNanos;
    long timeout = machine.timeoutNanos();
    long due = machine.dueInNanos(start);
    E event;
    try {
      event = mailbox.poll(Math.max(0, Math.min(timeout, due)));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      InterruptedIOException interrupted =
          new InterruptedIOException("interrupted while waiting for shuffle servers");
      interrupted.initCause(e);
      throw interrupted;
    } finally {
      waitedNanos += time.nanoTime() - start;
    }
    machine.waited(waitedNanos - before);
    if (event != null) {
      machine.on(event, time.nanoTime());
    } else if (due >= timeout) {
      machine.timedOut(time.nanoTime());
    }
    handleQueued(machine);
    machine.advance(time.nanoTime());
  }

  private boolean handleQueued(TaskMachine<E> machine) throws IOException {
    boolean any = false;
    for (E event = mailbox.poll(); event != null; event = mailbox.poll()) {
      machine.on(event, time.nanoTime());
      any = true;
    }
    return any;
  }

  /** Disposes of all queued events, and of those that arrive later. */
  @Override
  public void close() {
    mailbox.close();
  }
}
