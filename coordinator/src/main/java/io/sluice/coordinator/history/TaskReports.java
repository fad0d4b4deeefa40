package io.sluice.coordinator.history;

import io.sluice.coordinator.cluster.TaskReport;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The latest report of each live application about its tasks. The oldest reports are removed first.
 * Thread-safe.
 */
public final class TaskReports {
  /** Maximum number of servers and shuffles in all reports, about 100 bytes each. */
  static final int CAPACITY = 50_000;

  private final int capacity;

  // In the order of the reports. Guarded by this, as the size.
  private final Map<String, TaskReport> byApplication = new LinkedHashMap<>();
  private int size;

  TaskReports() {
    this(CAPACITY);
  }

  TaskReports(int capacity) {
    this.capacity = capacity;
  }

  /** Replaces the report of an application. */
  public synchronized void reported(String application, TaskReport report) {
    remove(application);
    byApplication.put(application, report);
    size += size(report);
    while (size > capacity) {
      remove(byApplication.keySet().iterator().next());
    }
  }

  /** The latest report of an application; empty if there is none. */
  public synchronized Optional<TaskReport> of(String application) {
    return Optional.ofNullable(byApplication.get(application));
  }

  /** Removes the report of an application that has finished. */
  public synchronized void forget(String application) {
    remove(application);
  }

  private void remove(String application) {
    TaskReport removed = byApplication.remove(application);
    if (removed != null) {
      size -= size(removed);
    }
  }

  private static int size(TaskReport report) {
    return 1 + report.servers().size() + report.shuffles().size();
  }
}
