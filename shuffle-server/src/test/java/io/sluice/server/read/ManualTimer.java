package io.sluice.server.read;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** A timer that tests fire explicitly. */
final class ManualTimer extends ScheduledThreadPoolExecutor {
  private final List<Runnable> due = new ArrayList<>();
  private final List<ScheduledFuture<?>> handles = new ArrayList<>();

  ManualTimer() {
    super(1);
  }

  @Override
  public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
    // The real delay is long, so that the handle can be cancelled like any other.
    ScheduledFuture<?> handle = super.schedule(() -> {}, 1, TimeUnit.DAYS);
    due.add(task);
    handles.add(handle);
    return handle;
  }

  /** Runs all tasks that were scheduled and not cancelled. */
  void fire() {
    List<Runnable> tasks = new ArrayList<>();
    for (int i = 0; i < due.size(); i++) {
      if (!handles.get(i).isCancelled()) {
        tasks.add(due.get(i));
      }
    }
    due.clear();
    handles.clear();
    tasks.forEach(Runnable::run);
  }

  /** Number of tasks that were scheduled and not cancelled. */
  long pending() {
    return handles.stream().filter(handle -> !handle.isCancelled()).count();
  }
}
