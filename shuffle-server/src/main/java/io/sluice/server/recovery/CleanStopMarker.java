package io.sluice.server.recovery;

import io.sluice.server.catalog.CleanStop;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskSync;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records a clean stop in the catalog of every directory. If the record is missing in one of them,
 * the next start recovers as after a crash.
 */
public final class CleanStopMarker {
  private static final Logger LOG = LoggerFactory.getLogger(CleanStopMarker.class);

  private final List<Disk> disks;
  private final boolean synced;

  /**
   * @param synced whether the record and the data must survive a crash of the machine
   */
  public CleanStopMarker(List<Disk> disks, boolean synced) {
    this.disks = List.copyOf(disks);
    this.synced = synced;
  }

  /**
   * Writes the record to all disks in parallel.
   *
   * @return whether it was written to all disks
   */
  public boolean write(long epoch, long wholeSinceEpoch, long timeoutMs)
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
                  write(disk, stop);
                  written.incrementAndGet();
                } catch (IOException e) {
                  LOG.warn("clean stop not recorded disk={} problem={}", disk.name(), e.toString());
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

  private void write(Disk disk, CleanStop stop) throws IOException {
    if (synced) {
      DiskSync.sync(disk);
    }
    disk.catalog().recordCleanStop(stop);
    if (synced) {
      disk.catalog().sync();
    }
  }
}
