package io.sluice.mr;

import java.util.concurrent.TimeUnit;
import org.apache.hadoop.util.Progressable;

/**
 * Reports progress to Hadoop while a task waits for servers, so that Hadoop does not kill it. Every
 * such wait has a timeout.
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
                // Stop.
              }
            },
            "sluice-task-keep-alive");
    thread.setDaemon(true);
  }

  /** Starts to report progress until the result is closed. */
  public static TaskKeepAlive start(Progressable task) {
    TaskKeepAlive keepAlive = new TaskKeepAlive(task);
    keepAlive.thread.start();
    return keepAlive;
  }

  @Override
  public void close() {
    thread.interrupt();
  }
}
