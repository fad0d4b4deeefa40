package io.sluice.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LoadGeneratorTest {
  private final ScheduledExecutorService scheduler = Executors.newScheduledThreadPool(2);
  private final AtomicLong progress = new AtomicLong();

  @AfterEach
  void stop() {
    scheduler.shutdownNow();
  }

  private LoadGenerator generator(int maxPerWorker, int maxInFlight) {
    return new LoadGenerator(
        maxPerWorker, maxInFlight, scheduler, System::nanoTime, progress::addAndGet);
  }

  /** A worker of {@code requests} requests of 10 bytes, each answered by {@code answer}. */
  private static BenchWorker worker(int requests, BenchWorker.Request answer) {
    AtomicInteger left = new AtomicInteger(requests);
    return () -> left.getAndDecrement() > 0 ? answer : null;
  }

  @Test
  void sendsAllRequestsWithinBothLimits() throws Exception {
    AtomicInteger inFlight = new AtomicInteger();
    AtomicInteger maxOfAll = new AtomicInteger();
    List<AtomicInteger> maxPerWorker = new ArrayList<>();
    List<BenchWorker> workers = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      AtomicInteger inWorker = new AtomicInteger();
      AtomicInteger maxOfWorker = new AtomicInteger();
      maxPerWorker.add(maxOfWorker);
      workers.add(
          worker(
              50,
              () -> {
                maxOfAll.accumulateAndGet(inFlight.incrementAndGet(), Math::max);
                maxOfWorker.accumulateAndGet(inWorker.incrementAndGet(), Math::max);
                CompletableFuture<Long> answer = new CompletableFuture<>();
                scheduler.execute(
                    () -> {
                      inFlight.decrementAndGet();
                      inWorker.decrementAndGet();
                      answer.complete(10L);
                    });
                return answer;
              }));
    }
    LoadGenerator generator = generator(3, 7);

    generator.run(workers, 10_000);

    assertThat(generator.requests()).isEqualTo(1000);
    assertThat(generator.bytes()).isEqualTo(10_000);
    assertThat(progress).hasValue(10_000);
    assertThat(generator.latencyUs().getTotalCount()).isEqualTo(1000);
    assertThat(generator.repeats()).isZero();
    assertThat(maxOfAll.get()).isLessThanOrEqualTo(7);
    assertThat(maxPerWorker)
        .allSatisfy(maxInFlight -> assertThat(maxInFlight.get()).isBetween(1, 3));
  }

  @Test
  void retriesTemporarilyRefusedRequests() throws Exception {
    AtomicInteger sends = new AtomicInteger();
    LoadGenerator generator = generator(1, 1);

    generator.run(
        List.of(
            worker(
                2,
                () ->
                    sends.incrementAndGet() % 3 == 0
                        ? CompletableFuture.completedFuture(10L)
                        : CompletableFuture.failedFuture(
                            new SluiceException(StatusCode.BUSY, "later")))),
        10_000);

    assertThat(sends).hasValue(6);
    assertThat(generator.requests()).isEqualTo(2);
    assertThat(generator.repeats()).isEqualTo(4);
  }

  @Test
  void measuresTheTimeOfEachWorkerFromTheStartOfTheLoad() throws Exception {
    AtomicLong clock = new AtomicLong();
    BenchWorker.Request oneMillisecond =
        () -> {
          clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(1));
          return CompletableFuture.completedFuture(10L);
        };
    LoadGenerator generator = new LoadGenerator(1, 1, scheduler, clock::get, progress::addAndGet);

    // In turn: the first worker ends after two requests, the second one after four.
    generator.run(List.of(worker(1, oneMillisecond), worker(3, oneMillisecond)), 10_000);

    assertThat(generator.taskUs().getTotalCount()).isEqualTo(2);
    assertThat(generator.taskUs().getCountAtValue(2_000)).isEqualTo(1);
    assertThat(generator.taskUs().getCountAtValue(4_000)).isEqualTo(1);
  }

  @Test
  void failsOnPermanentRefusal() {
    BenchWorker worker =
        worker(
            5,
            () -> CompletableFuture.failedFuture(new SluiceException(StatusCode.EXPIRED, "gone")));

    assertThatThrownBy(() -> generator(1, 1).run(List.of(worker), 10_000))
        .isInstanceOf(IOException.class)
        .hasMessage("gone");
  }

  @Test
  void failsWhenSendingThrows() {
    BenchWorker worker =
        worker(
            5,
            () -> {
              throw new IllegalStateException("no buffer");
            });

    assertThatThrownBy(() -> generator(1, 1).run(List.of(worker), 10_000)).hasMessage("no buffer");
  }

  @Test
  void failsWhenNoRequestCompletes() {
    AtomicLong clock = new AtomicLong();
    ConcurrentLinkedQueue<CompletableFuture<Long>> never = new ConcurrentLinkedQueue<>();
    LoadGenerator generator =
        new LoadGenerator(
            1,
            1,
            scheduler,
            () -> clock.addAndGet(TimeUnit.SECONDS.toNanos(1)),
            progress::addAndGet);
    BenchWorker worker =
        worker(
            1,
            () -> {
              CompletableFuture<Long> answer = new CompletableFuture<>();
              never.add(answer);
              return answer;
            });

    assertThatThrownBy(() -> generator.run(List.of(worker), 1))
        .hasMessage("no request completed within 1 ms");
    assertThat(never).hasSize(1);
  }

  @Test
  void returnsAtOnceWithoutWorkers() throws Exception {
    LoadGenerator generator = generator(1, 1);

    generator.run(List.of(), 1);

    assertThat(generator.requests()).isZero();
  }
}
