package io.sluice.common.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class DaemonThreadsTest {
  private static List<Thread> two(ThreadFactory factory) {
    return Stream.generate(() -> factory.newThread(() -> {})).limit(2).toList();
  }

  @Test
  void numbersEachFactorysThreadsFromZero() {
    assertThat(two(DaemonThreads.numbered("a")))
        .extracting(Thread::getName)
        .containsExactly("a-0", "a-1");
    assertThat(two(DaemonThreads.numbered("a")))
        .extracting(Thread::getName)
        .containsExactly("a-0", "a-1");
    assertThat(two(DaemonThreads.named("b"))).extracting(Thread::getName).containsExactly("b", "b");
  }

  @Test
  void createsDaemonThreads() {
    assertThat(two(DaemonThreads.numbered("a"))).allMatch(Thread::isDaemon);
    assertThat(two(DaemonThreads.named("a"))).allMatch(Thread::isDaemon);
  }
}
