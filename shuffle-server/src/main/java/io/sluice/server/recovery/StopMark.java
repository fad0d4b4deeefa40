package io.sluice.server.recovery;

import io.sluice.server.catalog.CleanStop;
import io.sluice.server.storage.Disk;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says in every directory that the server has stopped with everything in files. If one of them
 * cannot take note of it, the next start sees that, and goes by what happens after a crash.
 */
public final class StopMark {
  private static final Logger LOG = LoggerFactory.getLogger(StopMark.class);

  private StopMark() {}

  /**
   * Writes the mark to all disks at once.
   *
   * @return whether all of them have it
   */
  public static boolean write(
      List<Disk> disks, long epoch, long wholeSinceEpoch, long timeoutMs)
      throws InterruptedException {
    CleanStop stop = new CleanStop(epoch, wholeSinceEpoch, disks.size());
    CountDownLatch ended = new CountDownLatch(disks.size());
    AtomicInteger written = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    for (Disk disk : disks) {
      Thread thread =
          new Thread(
              () -> {
                try {
                  disk.catalog().stopped(stop);
                  written.incrementAndGet();
                } catch (IOException e) {
                  LOG.warn("stop not marked disk={} problem={}", disk.name(), e.toString());
                } finally {
                  ended.countDown();
                }
              },
              "stop-mark " + disk.name());
      thread.setDaemon(true);
      threads.add(thread);
    }
    threads.forEach(Thread::start);
    boolean inTime = ended.await(timeoutMs, TimeUnit.MILLISECONDS);
    return inTime && written.get() == disks.size();
  }
}
