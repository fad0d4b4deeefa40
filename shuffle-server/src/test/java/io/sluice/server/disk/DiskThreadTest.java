package io.sluice.server.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DiskThreadTest {
  /** Longer than any test. */
  private static final long NEVER_MS = TimeUnit.HOURS.toMillis(1);

  private static final long LONG_MS = TimeUnit.SECONDS.toMillis(30);

  private final Semaphore runs = new Semaphore(0);

  private static void stop(DiskThread... threads) {
    assertThat(DiskThread.stopAll(List.of(threads), LONG_MS)).isEmpty();
  }

  private static void awaitForever(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void worksAfterEachPeriod() throws Exception {
    DiskThread thread = new DiskThread("test", 1, runs::release);
    thread.start();
    runs.acquire(3);
    stop(thread);
    int done = runs.availablePermits();
    thread.signal();
    assertThat(runs.availablePermits()).isEqualTo(done);
  }

  @Test
  void worksWhenSignalledBeforeAndAfterItsStart() throws Exception {
    DiskThread thread = new DiskThread("test", NEVER_MS, runs::release);
    thread.signal();
    thread.start();
    runs.acquire();
    thread.signal();
    runs.acquire();
    stop(thread);
    assertThat(runs.availablePermits()).isZero();
  }

  @Test
  void signalsDuringARunCauseOneMoreRun() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch resume = new CountDownLatch(1);
    DiskThread thread =
        new DiskThread(
            "test",
            NEVER_MS,
            () -> {
              begun.countDown();
              awaitForever(resume);
              runs.release();
            });
    thread.signal();
    thread.start();
    begun.await();
    thread.signal();
    thread.signal();
    resume.countDown();
    runs.acquire(2);
    CompletableFuture<Void> after = new CompletableFuture<>();
    thread.execute(() -> after.complete(null));
    after.get();
    stop(thread);
    assertThat(runs.availablePermits()).isZero();
  }

  @Test
  void runsQueuedTasksInOrderWhenItStopsButNotItsWork() throws Exception {
    CountDownLatch resume = new CountDownLatch(1);
    BlockingQueue<Integer> order = new LinkedBlockingQueue<>();
    DiskThread thread = new DiskThread("test", NEVER_MS, runs::release);
    thread.execute(() -> awaitForever(resume));
    thread.execute(() -> order.add(1));
    thread.execute(() -> order.add(2));
    thread.signal();
    thread.start();
    thread.stop();
    resume.countDown();
    stop(thread);
    assertThat(order).containsExactly(1, 2);
    assertThat(runs.availablePermits()).isZero();
  }

  @Test
  void continuesAfterAFailure() throws Exception {
    AtomicInteger count = new AtomicInteger();
    DiskThread thread =
        new DiskThread(
            "test",
            1,
            () -> {
              runs.release();
              if (count.incrementAndGet() == 1) {
                throw new IllegalStateException("the test fails the work");
              }
            });
    thread.execute(
        () -> {
          throw new AssertionError("the test fails a task");
        });
    thread.start();
    runs.acquire(2);
    stop(thread);
  }

  @Test
  void aStopEndsAPause() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CompletableFuture<Boolean> resumed = new CompletableFuture<>();
    CompletableFuture<DiskThread> self = new CompletableFuture<>();
    DiskThread thread =
        new DiskThread(
            "test",
            NEVER_MS,
            () -> {
              begun.countDown();
              resumed.complete(self.join().pause(TimeUnit.MILLISECONDS.toNanos(NEVER_MS)));
            });
    self.complete(thread);
    assertThat(thread.pause(1)).isTrue();
    thread.signal();
    thread.start();
    begun.await();
    stop(thread);
    assertThat(resumed.join()).isFalse();
    assertThat(thread.pause(0)).isFalse();
    assertThat(thread.isStopping()).isTrue();
  }

  @Test
  void doesNotWaitForAHungThread() throws Exception {
    CountDownLatch hangs = new CountDownLatch(1);
    CountDownLatch begun = new CountDownLatch(1);
    DiskThread hung = DiskThread.ofTasks("hung");
    hung.execute(
        () -> {
          begun.countDown();
          awaitForever(hangs);
        });
    DiskThread well = new DiskThread("well", 1, runs::release);
    hung.start();
    well.start();
    begun.await();

    assertThat(DiskThread.stopAll(List.of(hung, well), 1)).contains(hung);
    stop(well);

    hung.interrupt();
    stop(hung);
  }

  @Test
  void tasksOfAThreadThatNeverStartedCanBeRun() {
    DiskThread thread = new DiskThread("test", 1, runs::release);
    AtomicInteger tasks = new AtomicInteger();
    thread.execute(tasks::incrementAndGet);
    stop(thread);
    thread.start();
    assertThat(tasks).hasValue(0);
    thread.runPending();
    assertThat(tasks).hasValue(1);
    assertThat(runs.availablePermits()).isZero();
  }
}
