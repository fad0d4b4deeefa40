package io.sluice.server.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.server.remote.spi.RemoteFileSystem;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class RemoteConnectionTest {
  private static final long LONG_MS = 20_000;

  /** The result of each attempt to open: a file system or an exception. */
  private final LinkedBlockingQueue<Object> answers = new LinkedBlockingQueue<>();

  private final List<RemoteFileSystem> late = Collections.synchronizedList(new ArrayList<>());
  private final CountDownLatch lateCalled = new CountDownLatch(1);
  private final InMemoryRemoteFileSystem files = new InMemoryRemoteFileSystem();
  private IOException failureWhenLate;
  private final RemoteConnection connection =
      new RemoteConnection("memory:/x", this::open, this::opened, 1);

  @AfterEach
  void close() throws IOException {
    answers.add(new IOException("the test is over"));
    connection.close();
    connection.close();
  }

  @Test
  void canBeUsedOnceItIsOpen() throws Exception {
    answers.add(files);
    connection.start();
    assertThat(connection.await(LONG_MS)).isTrue();
    assertThat(connection.list("")).isEmpty();
    assertThat(connection.base()).isEqualTo("memory:/shuffle");
    assertThat(late).isEmpty();
  }

  @Test
  void retriesWhileACallerWaits() throws Exception {
    answers.add(new IOException("no route"));
    answers.add(new IllegalStateException("odd"));
    answers.add(files);
    connection.start();
    assertThat(connection.await(LONG_MS)).isTrue();
    assertThat(late).isEmpty();
  }

  @Test
  void failsAtOnceWhileItIsNotOpen() throws Exception {
    connection.start();
    answers.add(new IOException("no route"));
    assertThat(connection.await(0)).isFalse();
    assertThatThrownBy(() -> connection.list(""))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("remote file system memory:/x is not open");
    assertThat(connection.base()).isEqualTo("memory:/x");
  }

  @Test
  void deletesEarlierFilesBeforeUseIfItOpensLate() throws Exception {
    connection.start();
    assertThat(connection.await(0)).isFalse();
    answers.add(files);
    assertThat(lateCalled.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(late).containsExactly(files);
    awaitOpen();
  }

  @Test
  void isNotUsedUntilEarlierFilesAreDeleted() throws Exception {
    failureWhenLate = new IOException("not yet");
    connection.start();
    assertThat(connection.await(0)).isFalse();
    answers.add(files);
    assertThat(lateCalled.await(60, TimeUnit.SECONDS)).isTrue();
    assertThatThrownBy(() -> connection.list("")).isInstanceOf(IOException.class);
    failureWhenLate = null;
    answers.add(files);
    awaitOpen();
    assertThat(late).hasSize(2);
  }

  @Test
  void failsAtOnceIfClassesAreMissing() {
    answers.add(new MissingClassesException("no jars", null));
    connection.start();
    assertThatThrownBy(() -> connection.await(LONG_MS))
        .isInstanceOf(MissingClassesException.class)
        .hasMessage("no jars");
  }

  private void awaitOpen() throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (true) {
      try {
        assertThat(connection.list("")).isEmpty();
        return;
      } catch (IOException e) {
        assertThat(System.nanoTime()).as("%s", e).isLessThan(deadline);
        Thread.onSpinWait();
      }
    }
  }

  private RemoteFileSystem open() throws IOException {
    Object answer;
    try {
      answer = answers.take();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
    if (answer instanceof IOException failure) {
      throw failure;
    }
    if (answer instanceof RuntimeException failure) {
      throw failure;
    }
    return (RemoteFileSystem) answer;
  }

  private void opened(RemoteFileSystem opened) throws IOException {
    late.add(opened);
    IOException failure = failureWhenLate;
    lateCalled.countDown();
    if (failure != null) {
      throw failure;
    }
  }
}
