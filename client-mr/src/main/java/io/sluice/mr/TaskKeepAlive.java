package io.sluice.mr;

import java.util.concurrent.TimeUnit;
import org.apache.hadoop.util.Progressable;

/**
 * Tells Hadoop that a task is alive while it waits for servers, every wait for which ends by a
 * deadline of its own.
 */
public final class TaskKeepAlive implements AutoCloseable {
  private static final long INTERVAL_MS = 1_000;

  private final Thread thread;

  private TaskKeepAlive(Progressable task) {
    thread =
        new Thread(
            () -> {
              try {
                while (true) {
                  task.progress();
                  TimeUnit.MILLISECONDS.sleep(INTERVAL_MS);
                }
              } catch (InterruptedException closed) {
                // The end.
              }
            },
            "sluice-signs-of-life");
    thread.setDaemon(true);
  }

  /** Begins; ends when the result is closed. */
  public static TaskKeepAlive start(Progressable task) {
    TaskKeepAlive signs = new TaskKeepAlive(task);
    signs.thread.start();
    return signs;
  }

  @Override
  public void close() {
    thread.interrupt();
  }
}
