package io.sluice.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.proto.GetThreadsReply;
import io.sluice.proto.ThreadStack;
import java.lang.management.ManagementFactory;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ThreadDumpTest {
  private final Object lock = new Object();
  private final CountDownLatch started = new CountDownLatch(1);

  private void enter() {
    started.countDown();
    synchronized (lock) {
      lock.notifyAll();
    }
  }

  @Test
  void showsAThreadThatWaitsForALock() throws InterruptedException {
    Thread waiting = new Thread(this::enter, "waiting-for-a-lock");
    ThreadStack stack;
    synchronized (lock) {
      waiting.start();
      started.await();
      while (waiting.getState() != Thread.State.BLOCKED) {
        Thread.onSpinWait();
      }
      stack =
          ThreadDump.ofThisProcess().take().getThreadsList().stream()
              .filter(thread -> thread.getName().equals("waiting-for-a-lock"))
              .findAny()
              .orElseThrow();
    }
    waiting.join();

    assertThat(stack.getState()).isEqualTo("BLOCKED");
    assertThat(stack.getWaitsFor()).startsWith("java.lang.Object@");
    assertThat(stack.getOwner()).isEqualTo(Thread.currentThread().getName());
    assertThat(stack.getFrames(0)).startsWith("io.sluice.metrics.ThreadDumpTest.enter(Thread");
  }

  @Test
  void listsThreadsByName() {
    GetThreadsReply dump = ThreadDump.ofThisProcess().take();

    assertThat(dump.getThreadsList()).extracting(ThreadStack::getName).isSorted().contains("main");
    assertThat(dump.getOmitted()).isZero();
  }

  @Test
  void aLongDumpIsCut() {
    int all = ThreadDump.ofThisProcess().take().getThreadsCount();

    GetThreadsReply cut = new ThreadDump(ManagementFactory.getThreadMXBean(), 300).take();

    assertThat(cut.getSerializedSize()).isLessThan(400);
    assertThat(cut.getThreadsCount()).isLessThan(all);
    assertThat(cut.getOmitted()).isPositive();
  }

  private static int deep(int depth) {
    return depth == 0
        ? ThreadDump.ofThisProcess().take().getThreadsList().stream()
            .filter(thread -> thread.getId() == Thread.currentThread().getId())
            .findAny()
            .orElseThrow()
            .getFramesCount()
        : deep(depth - 1);
  }

  @Test
  void aLongStackIsCut() {
    assertThat(deep(500)).isEqualTo(ThreadDump.MAX_FRAMES);
  }
}
