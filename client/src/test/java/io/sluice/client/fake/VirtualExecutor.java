package io.sluice.client.fake;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * Runs tasks in virtual time, on the thread that lets it pass, or as a given executor does. After
 * {@link #shutdownNow} no task runs, as when a process ends. Belongs to one thread.
 */
public final class VirtualExecutor extends AbstractExecutorService
    implements ScheduledExecutorService {
  private final VirtualTime time;
  private final Executor runner;
  private boolean shutdown;

  public VirtualExecutor(VirtualTime time) {
    this(time, Runnable::run);
  }

  /**
   * @param runner runs the tasks that are due
   */
  public VirtualExecutor(VirtualTime time, Executor runner) {
    this.time = time;
    this.runner = runner;
  }

  @Override
  public void execute(Runnable task) {
    ScheduledFuture<?> unused = schedule(task, 0, TimeUnit.NANOSECONDS);
  }

  @Override
  public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
    return schedule(
        () -> {
          task.run();
          return null;
        },
        delay,
        unit);
  }

  @Override
  public <V> ScheduledFuture<V> schedule(Callable<V> task, long delay, TimeUnit unit) {
    if (shutdown) {
      throw new RejectedExecutionException("the executor has ended");
    }
    long nanos = Math.max(0, unit.toNanos(delay));
    Task<V> scheduled = new Task<>(task, time.nanoTime() + nanos);
    time.schedule(nanos, () -> runner.execute(scheduled));
    return scheduled;
  }

  @Override
  public ScheduledFuture<?> scheduleAtFixedRate(
      Runnable task, long initialDelay, long period, TimeUnit unit) {
    return scheduleWithFixedDelay(task, initialDelay, period, unit);
  }

  @Override
  public ScheduledFuture<?> scheduleWithFixedDelay(
      Runnable task, long initialDelay, long delay, TimeUnit unit) {
    Repeated repeated = new Repeated(task, unit.toNanos(delay));
    ScheduledFuture<?> unused = schedule(repeated, initialDelay, unit);
    return repeated.handle;
  }

  @Override
  public void shutdown() {
    shutdown = true;
  }

  @Override
  public List<Runnable> shutdownNow() {
    shutdown = true;
    return new ArrayList<>();
  }

  @Override
  public boolean isShutdown() {
    return shutdown;
  }

  @Override
  public boolean isTerminated() {
    return shutdown;
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) {
    return shutdown;
  }

  private class Task<V> extends FutureTask<V> implements ScheduledFuture<V> {
    private final long atNanos;

    Task(Callable<V> task, long atNanos) {
      super(task);
      this.atNanos = atNanos;
    }

    @Override
    public void run() {
      if (!shutdown) {
        super.run();
      }
    }

    @Override
    protected void setException(Throwable failure) {
      throw new AssertionError("a task failed", failure);
    }

    @Override
    public long getDelay(TimeUnit unit) {
      return unit.convert(atNanos - time.nanoTime(), TimeUnit.NANOSECONDS);
    }

    @Override
    public int compareTo(Delayed other) {
      return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
    }
  }

  private final class Repeated implements Runnable {
    private final Runnable task;
    private final long delayNanos;
    private final Task<Object> handle = new Task<>(() -> null, 0);

    Repeated(Runnable task, long delayNanos) {
      this.task = task;
      this.delayNanos = delayNanos;
    }

    @Override
    public void run() {
      if (handle.isCancelled()) {
        return;
      }
      task.run();
      if (!shutdown && !handle.isCancelled()) {
        ScheduledFuture<?> unused = schedule(this, delayNanos, TimeUnit.NANOSECONDS);
      }
    }
  }
}
