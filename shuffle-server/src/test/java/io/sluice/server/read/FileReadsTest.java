package io.sluice.server.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.common.error.StatusCode;
import io.sluice.server.log.LogPiece;
import io.sluice.transport.server.FetchedBytes;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Bytes and failures of reads, and what they leave in the page cache. */
class FileReadsTest extends FileReadsFixture {
  @Test
  void answersBytesInMemoryImmediately() throws Exception {
    ByteBuf bytes = Unpooled.buffer().writeBytes(content, 0, 50);
    try (FetchedBytes fetched =
        now(reads.read(CLIENT, 7, List.of(new LogPiece.InMemory(bytes)), false))) {
      assertThat(bytes(fetched)).isEqualTo(part(0, 50));
      assertThat(fetched.head().getEpoch()).isEqualTo(7);
      assertThat(fetched.head().getFromMemory()).isEqualTo(50);
      assertThat(fetched.head().getFileMicros()).isZero();
    }
    assertThat(bytes.refCnt()).isZero();
  }

  @Test
  void answersCachedBytesImmediately() throws Exception {
    FakeRun run = run(ssd);
    now(fetch(run, 0, 10), ssd).close();
    cached = true;
    try (FetchedBytes fetched = now(fetch(run, 100, 200))) {
      assertThat(bytes(fetched)).isEqualTo(part(100, 200));
      assertThat(fetched.pieces()).allMatch(FetchedBytes.FilePiece.class::isInstance);
      assertThat(budget.usedBytes()).isEqualTo(200);
    }
    assertThat(counters.cachedBytes()).isEqualTo(200);
  }

  @Test
  void reportsTheTimeUntilBytesInFilesAreReady() throws Exception {
    CompletableFuture<FetchedBytes> answer = fetch(run(ssd), 100, 200);
    nanos.addAndGet(TimeUnit.MICROSECONDS.toNanos(750));
    runThreads(ssd);
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
    try (FetchedBytes fetched = now(answer)) {
      assertThat(fetched.head().getFileMicros()).isEqualTo(750);
    }
  }

  @Test
  void opensFilesOnReaderThreads() throws Exception {
    cached = true;
    CompletableFuture<FetchedBytes> answer = fetch(run(ssd), 100, 200);
    assertThat(answer).isNotDone();
    runThreads(ssd);
    try (FetchedBytes fetched = now(answer)) {
      assertThat(bytes(fetched)).isEqualTo(part(100, 200));
    }
    assertThat(health).containsExactly("ssd read 200");
  }

  @Test
  void readsPiecesOfSeveralDisksAndOfMemoryInTheirOrder() throws Exception {
    List<LogPiece> pieces = new ArrayList<>();
    pieces.add(piece(run(hdd), 10, 20));
    pieces.add(new LogPiece.InMemory(Unpooled.buffer().writeBytes(content, 500, 5)));
    pieces.add(piece(run(ssd), 30, 40));
    pieces.add(piece(run(hdd), 900, 1));
    CompletableFuture<FetchedBytes> answer = reads.read(CLIENT, 7, pieces, false);
    runThreads(ssd);
    assertThat(answer).isNotDone();
    runThreads(hdd);
    try (FetchedBytes fetched = now(answer)) {
      assertThat(bytes(fetched))
          .isEqualTo(concat(part(10, 20), part(500, 5), part(30, 40), part(900, 1)));
      assertThat(fetched.length()).isEqualTo(66);
    }
  }

  @Test
  void dropsSentBytesFromThePageCache() throws Exception {
    FakeRun run = run(ssd);
    now(fetch(run, 0, 1), ssd).close();
    cached = true;
    FetchedBytes fetched = now(fetch(run, 100, 200));
    runThreads(ssd);
    assertThat(dropped).isEmpty();
    fetched.close();
    runThreads(ssd);
    assertThat(dropped).as("before the delay").isEmpty();
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(DropBehind.DELAY_MS));
    timer.fire();
    runThreads(ssd);
    assertThat(dropped).containsExactly("100+200");
  }

  @Test
  void dropsBytesSentLaterAfterTheirDelay() throws Exception {
    FakeRun run = run(ssd);
    now(fetch(run, 0, 1), ssd).close();
    cached = true;
    now(fetch(run, 100, 200)).close();
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(DropBehind.DELAY_MS - 1));
    now(fetch(run, 400, 50)).close();
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(1));
    timer.fire();
    runThreads(ssd);
    assertThat(dropped).containsExactly("100+200");
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(DropBehind.DELAY_MS));
    timer.fire();
    runThreads(ssd);
    assertThat(dropped).containsExactly("100+200", "400+50");
  }

  @Test
  void skipsACancelledRead() throws Exception {
    begin(CLIENT, run(hdd), 100);
    FakeRun run = run(hdd);
    CompletableFuture<FetchedBytes> answer = fetch(run, 0, 100);
    answer.cancel(false);
    runThreads(hdd);
    assertThat(run.readers()).isZero();
    assertThat(counters.readBytes()).as("only the other read").isEqualTo(100);
  }

  @Test
  void mapsFailuresToStatusCodes() throws Exception {
    FakeRun missing =
        run(
            ssd,
            () -> {
              throw new NoSuchFileException("x.run");
            });
    CompletableFuture<FetchedBytes> answer = fetch(missing, 0, 10);
    runThreads(ssd);
    assertThat(refusal(answer)).isEqualTo(StatusCode.LOST);
    FakeRun broken =
        run(
            ssd,
            () -> {
              throw new IOException("Input/output error");
            });
    answer = fetch(broken, 0, 10);
    runThreads(ssd);
    assertThat(refusal(answer)).isEqualTo(StatusCode.STORAGE_FAILED);
    answer = fetch(run(ssd), content.length - 5, 10);
    runThreads(ssd);
    assertThat(refusal(answer)).as("file too short").isEqualTo(StatusCode.STORAGE_FAILED);
    assertThat(counters.failures()).isEqualTo(3);
    assertThat(health).containsExactly("ssd failed", "ssd failed", "ssd failed");
  }

  @Test
  void lackOfMemoryIsReportedAsBusyAndNotAsADiskFailure() throws Exception {
    memoryShort = true;
    for (int i = 0; i < 20; i++) {
      CompletableFuture<FetchedBytes> answer = fetch(run(ssd), 0, 100);
      runThreads(ssd);
      assertThat(refusal(answer)).isEqualTo(StatusCode.BUSY);
      assertThat(budget.usedBytes()).isZero();
    }
    memoryShort = false;
    now(fetch(run(ssd), 0, 100), ssd).close();
    assertThat(health).containsExactly("ssd read 100");
  }

  @Test
  void anInternalErrorIsNotADiskFailure() throws Exception {
    FakeRun run =
        run(
            ssd,
            () -> {
              throw new IllegalStateException("injected error");
            });
    CompletableFuture<FetchedBytes> answer = fetch(run, 0, 10);
    runThreads(ssd);
    assertThat(refusal(answer)).isEqualTo(StatusCode.INTERNAL);
    assertThat(health).isEmpty();
  }

  @Test
  void opensAFileForAnotherProcessOrFails() throws Exception {
    Deque<Throwable> problems =
        new ArrayDeque<>(
            List.of(
                new IOException("Input/output error"),
                new OutOfMemoryError("direct"),
                new IllegalStateException("injected error")));
    FakeRun run =
        run(
            ssd,
            () -> {
              Throwable problem = problems.removeFirst();
              if (problem instanceof IOException io) {
                throw io;
              }
              if (problem instanceof Error error) {
                throw error;
              }
              throw (RuntimeException) problem;
            });
    for (Throwable problem : List.copyOf(problems)) {
      CompletableFuture<FileChannel> opening = reads.openOwn(run);
      runThreads(ssd);
      assertThat(opening)
          .isCompletedExceptionally()
          .failsWithin(Duration.ZERO)
          .withThrowableOfType(ExecutionException.class)
          .withCause(problem);
    }
    assertThat(health).containsExactly("ssd failed");
  }

  @Test
  void aFailedReadAheadReleasesItsReference() throws Exception {
    FakeRun run = run(ssd);
    now(fetch(run, 0, 1), ssd).close();
    cached = true;
    memoryShort = true;
    now(fetch(run, 100, 200)).close();
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(DropBehind.DELAY_MS));
    timer.fire();
    runThreads(ssd);
    assertThat(run.readers()).isZero();
    assertThat(health).containsExactly("ssd read 1");
  }

  @Test
  void refusesWhenClosed() throws Exception {
    CompletableFuture<FetchedBytes> underWay = fetch(run(hdd), 0, 100);
    CompletableFuture<FetchedBytes> waits = fetch(run(hdd), 0, 100);
    reads.close();
    assertThat(refusal(waits)).isEqualTo(StatusCode.STORAGE_FAILED);
    assertThat(refusal(fetch(run(ssd), 0, 100))).isEqualTo(StatusCode.STORAGE_FAILED);
    runThreads(hdd);
    now(underWay).close();
  }
}
