package io.sluice.client.server;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.function.Consumer;

/**
 * Drives a task's state machine with the events that transport threads report. The only place where
 * a push session or a read waits for servers. Belongs to the task thread, but for {@link #put}.
 */
public final class TaskLoop<E> implements AutoCloseable {
  private final TaskTime time;
  private final Mailbox<E> mailbox;
  private long waitedNanos;

  /**
   * @param disposal frees what an event owns that arrives after {@link #close}
   */
  public TaskLoop(TaskTime time, Consumer<E> disposal) {
    this.time = time;
    this.mailbox = time.mailbox(disposal);
  }

  /**
   * Reports an event. Thread-safe.
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

  /** Handles the events that have arrived, without waiting; whether there were any. */
  public boolean handleArrived(TaskMachine<E> machine) throws IOException {
    boolean any = drain(machine);
    if (any) {
      machine.advance(time.nanoTime());
    }
    return any;
  }

  /**
   * Waits for one event, or until the machine has something to do, and handles all there is.
   *
   * @throws InterruptedIOException if the thread was interrupted; its flag stays set
   */
  public void await(TaskMachine<E> machine) throws IOException {
    long start = time.nanoTime();
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
    if (event != null) {
      machine.on(event, time.nanoTime());
    } else if (due >= timeout) {
      machine.timedOut(time.nanoTime());
    }
    drain(machine);
    machine.advance(time.nanoTime());
  }

  private boolean drain(TaskMachine<E> machine) throws IOException {
    boolean any = false;
    for (E event = mailbox.poll(); event != null; event = mailbox.poll()) {
      machine.on(event, time.nanoTime());
      any = true;
    }
    return any;
  }

  /** Ends the loop: events that are left, and those that arrive later, are disposed of. */
  @Override
  public void close() {
    mailbox.close();
  }
}
