package io.sluice.simulation;

import io.sluice.client.fake.VirtualTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;

/**
 * Virtual time for several threads, of which exactly one runs at any moment: a thread runs until it
 * waits, and the next one is the one whose signal was given, or whose wait ended, first. So their
 * interleaving is part of the simulation, and repeats.
 *
 * <p>Scheduled work runs on the thread that happens to wait, and must not wait itself. A failure on
 * any thread fails the wait of the main thread. A thread must not wait while it has a lock that
 * another one needs. {@link #close} ends the other threads.
 */
final class SimulatedThreads extends VirtualTime implements AutoCloseable {
  private final Executor carriers;
  private final Task main = new Task("main", null);
  private final List<Task> live = new ArrayList<>();
  private final Deque<Task> ready = new ArrayDeque<>();
  private Task running = main;
  private boolean inWork;
  private boolean closing;
  private Throwable failure;

  /** Ends a thread when the simulation ends. */
  static final class SimulationEnded extends Error {
    private static final long serialVersionUID = 1L;

    SimulationEnded() {
      super("the simulation has ended", null, false, false);
    }
  }

  /** A thread of the simulation. */
  final class Task {
    private final String name;
    private final Runnable body;
    private volatile boolean hasTurn;
    private Thread carrier;
    private final Signal end = new Signal();
    private Signal waitsFor;
    private boolean interrupted;
    private boolean started;

    private Task(String name, Runnable body) {
      this.name = name;
      this.body = body;
    }

    /** Lets the thread continue. */
    private void giveTurn() {
      hasTurn = true;
      LockSupport.unpark(carrier);
    }

    private void awaitTurn() {
      boolean wasInterrupted = false;
      while (!hasTurn) {
        LockSupport.park(this);
        wasInterrupted |= Thread.interrupted();
      }
      hasTurn = false;
      if (wasInterrupted) {
        Thread.currentThread().interrupt();
      }
    }

    /** Given when the thread ends. */
    Signal end() {
      return end;
    }

    /** Interrupts the wait of the thread, or its next one. */
    void interrupt() {
      interrupted = true;
      if (waitsFor != null) {
        waitsFor.give();
      }
    }

    /** Runs this thread, and then others that have not started, on the calling carrier. */
    private void run() {
      for (Task task = this; task != null; ) {
        task = task.runBody();
      }
    }

    /** Returns the next thread to run on this carrier; null: another carrier runs. */
    private Task runBody() {
      carrier = Thread.currentThread();
      try {
        body.run();
      } catch (SimulationEnded e) {
        // Unwound.
      } catch (RuntimeException | Error e) {
        fail(e);
      }
      boolean unused = Thread.interrupted();
      live.remove(this);
      end.give();
      Task next = nextReady();
      running = next;
      if (next.started) {
        next.giveTurn();
        return null;
      }
      next.started = true;
      return next;
    }

    @Override
    public String toString() {
      return name;
    }
  }

  /**
   * The caller's thread is the main one.
   *
   * @param carriers runs each other thread of the simulation on a thread of its own
   */
  SimulatedThreads(Executor carriers) {
    this.carriers = carriers;
    main.started = true;
    main.carrier = Thread.currentThread();
  }

  /**
   * Whether the caller's thread belongs to this simulation. Threads of other simulations may ask.
   */
  boolean isCurrent() {
    return running.carrier == Thread.currentThread();
  }

  /** Starts a thread, which runs when the current one waits. */
  Task start(String name, Runnable body) {
    Task task = new Task(name, body);
    live.add(task);
    ready.add(task);
    return task;
  }

  /** Returns an executor that runs one task after the other on a thread of the simulation. */
  Executor serial(String name) {
    Deque<Runnable> tasks = new ArrayDeque<>();
    boolean[] active = new boolean[1];
    return task -> {
      tasks.add(task);
      if (!active[0]) {
        active[0] = true;
        Task unused =
            start(
                name,
                () -> {
                  for (Runnable next = tasks.poll(); next != null; next = tasks.poll()) {
                    next.run();
                  }
                  active[0] = false;
                });
      }
    };
  }

  /** Whether the caller is a thread that may wait. */
  boolean mayWait() {
    return !inWork && !closing;
  }

  @Override
  public boolean await(Signal signal, long untilNanos) {
    Task me = running;
    if (signal.isGiven()) {
      return true;
    }
    if (closing) {
      throw new SimulationEnded();
    }
    if (inWork) {
      throw new AssertionError("scheduled work waits");
    }
    boolean[] over = new boolean[1];
    Runnable wake =
        () -> {
          if (!over[0]) {
            over[0] = true;
            ready.add(me);
          }
        };
    me.waitsFor = signal;
    signal.onGiven(wake);
    schedule(untilNanos - nanoTime(), wake);
    boolean interrupt = Thread.interrupted();
    passTurn(me);
    if (interrupt) {
      Thread.currentThread().interrupt();
    }
    me.waitsFor = null;
    if (me == main && failure != null) {
      throw new AssertionError("a thread of the simulation failed", failure);
    }
    if (closing) {
      throw new SimulationEnded();
    }
    return signal.isGiven();
  }

  @Override
  protected boolean takeInterrupt() {
    boolean taken = Thread.interrupted() || running.interrupted;
    running.interrupted = false;
    return taken;
  }

  /** Lets the next ready thread run, and waits for the next turn of the current one. */
  private void passTurn(Task me) {
    Task next = nextReady();
    running = next;
    if (next == me) {
      return;
    }
    if (next.started) {
      next.giveTurn();
    } else {
      next.started = true;
      carriers.execute(next::run);
    }
    me.awaitTurn();
  }

  /** Runs scheduled work until a thread is ready, and takes it. */
  private Task nextReady() {
    while (ready.isEmpty()) {
      inWork = true;
      try {
        if (!runNextBefore(Long.MAX_VALUE)) {
          fail(new AssertionError("every thread waits, and nothing is scheduled"));
        }
      } catch (RuntimeException | Error e) {
        fail(e);
      } finally {
        inWork = false;
      }
    }
    return ready.remove();
  }

  private void fail(Throwable cause) {
    if (failure == null) {
      failure = cause;
    }
    ready.remove(main);
    ready.addFirst(main);
  }

  /** Ends all other threads. */
  @Override
  public void close() {
    closing = true;
    while (!live.isEmpty()) {
      Task next = live.get(0);
      if (!next.started) {
        live.remove(next);
        continue;
      }
      ready.clear();
      ready.add(next);
      Task me = running;
      // The ending thread passes its turn to this one.
      next.end.onGiven(() -> ready.addFirst(me));
      passTurn(me);
    }
  }
}
