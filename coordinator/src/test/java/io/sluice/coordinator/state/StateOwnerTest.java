package io.sluice.coordinator.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.coordinator.cluster.ApplicationConfig;
import io.sluice.coordinator.cluster.ExcludeList;
import io.sluice.coordinator.cluster.ServerTableConfig;
import io.sluice.coordinator.history.ClusterEvent;
import io.sluice.coordinator.history.ClusterHistory;
import io.sluice.coordinator.history.Event;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class StateOwnerTest {
  private static final long WAIT_SECONDS = 60;

  private final AtomicLong nanos = new AtomicLong(TimeUnit.SECONDS.toNanos(1000));
  private final AtomicInteger decided = new AtomicInteger();
  private final FaultyLog log = new FaultyLog();
  private final ClusterHistory history = new ClusterHistory();
  private StateOwner owner;

  @BeforeEach
  void start() {
    TimeoutDecisions timeouts =
        new TimeoutDecisions(
            new ServerTableConfig(30_000, 5000, 60_000, 10, 0),
            new ApplicationConfig(60_000, 10, 0, 10, 10));
    owner =
        new StateOwner(
            new StateClock(Clock.systemUTC(), nanos::get, 0),
            () -> timeouts,
            new StateLog(log, nanos::get, StateLog.Probe.NONE, StateLog.SNAPSHOT_AFTER_BYTES),
            ClusterView.startedAt(0),
            history,
            (requests, oldestWaitNanos) -> decided.addAndGet(requests),
            (record, view, at) -> {});
    owner.start();
  }

  @AfterEach
  void close() {
    owner.close();
  }

  private <R> CompletableFuture<R> submit(StateOwner.Decider<R> decider) {
    CompletableFuture<R> future = new CompletableFuture<>();
    boolean taken =
        owner.submit(
            decider,
            new StateOwner.Outcome<>() {
              @Override
              public void decided(R reply) {
                future.complete(reply);
              }

              @Override
              public void failed(Throwable cause) {
                future.completeExceptionally(cause);
              }
            });
    return taken ? future : null;
  }

  private static <R> R result(CompletableFuture<R> future)
      throws InterruptedException, ExecutionException, TimeoutException {
    return future.get(WAIT_SECONDS, TimeUnit.SECONDS);
  }

  private StateOwner.Decider<Integer> registering(String application) {
    return (view, nowMs) ->
        Decision.of(
            new LoggedChange.ApplicationRegistered(application, "ann", "1", Set.of(), nowMs),
            view.applications().liveCount() + 1);
  }

  @Test
  void decidesEachRequestOnThePreviousResult() throws Exception {
    int threads = 8;
    int perThread = 500;
    CountDownLatch go = new CountDownLatch(1);
    List<CompletableFuture<List<CompletableFuture<Integer>>>> submitters = new ArrayList<>();
    for (int thread = 0; thread < threads; thread++) {
      int number = thread;
      submitters.add(
          CompletableFuture.supplyAsync(
              () -> {
                List<CompletableFuture<Integer>> futures = new ArrayList<>();
                try {
                  go.await(WAIT_SECONDS, TimeUnit.SECONDS);
                } catch (InterruptedException e) {
                  throw new IllegalStateException(e);
                }
                for (int i = 0; i < perThread; i++) {
                  futures.add(submit(registering("app-" + number + "-" + i)));
                }
                return futures;
              },
              command -> new Thread(command, "submitter-" + number).start()));
    }
    go.countDown();
    List<Integer> counts = new ArrayList<>();
    for (CompletableFuture<List<CompletableFuture<Integer>>> submitter : submitters) {
      for (CompletableFuture<Integer> future : result(submitter)) {
        counts.add(result(future));
      }
    }
    // Each request saw a different number of applications: none was decided on an outdated view.
    assertThat(counts)
        .hasSize(threads * perThread)
        .doesNotHaveDuplicates()
        .contains(1, threads * perThread);
    assertThat(owner.view().applications().liveCount()).isEqualTo(threads * perThread);
  }

  @Test
  void publishesTheEffectBeforeTheReply() throws Exception {
    for (int i = 0; i < 200; i++) {
      String name = "app-" + i;
      CompletableFuture<Boolean> seen =
          submit(registering(name))
              .thenApply(count -> owner.view().applications().get(name) != null);
      assertThat(result(seen)).isTrue();
    }
  }

  @Test
  void anExceptionFailsItsRequestOnly() throws Exception {
    CompletableFuture<Object> bad =
        submit(
            (view, nowMs) -> {
              throw new IllegalStateException("a bug");
            });
    assertThatThrownBy(() -> result(bad)).hasRootCauseMessage("a bug");
    assertThat(result(submit(registering("app")))).isEqualTo(1);
    assertThat(owner.healthy()).isTrue();
  }

  @Test
  void refusesRequestsIfTheQueueIsFull() throws Exception {
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch leave = new CountDownLatch(1);
    CompletableFuture<Integer> blocking =
        submit(
            (view, nowMs) -> {
              entered.countDown();
              try {
                leave.await(WAIT_SECONDS, TimeUnit.SECONDS);
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
              return Decision.unchanged(0);
            });
    assertThat(entered.await(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
    List<CompletableFuture<Integer>> waiting = new ArrayList<>();
    for (int i = 0; i < StateOwner.QUEUE_CAPACITY; i++) {
      waiting.add(submit((view, nowMs) -> Decision.unchanged(1)));
    }
    assertThat(waiting).doesNotContainNull();
    assertThat(owner.queueDepth()).isEqualTo(StateOwner.QUEUE_CAPACITY);
    assertThat(submit((view, nowMs) -> Decision.unchanged(1))).isNull();
    leave.countDown();
    assertThat(result(blocking)).isZero();
    for (CompletableFuture<Integer> one : waiting) {
      assertThat(result(one)).isEqualTo(1);
    }
  }

  @Test
  void checksTimeoutsWithoutRequests() throws Exception {
    result(submit(registering("app")));
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(61));
    await(() -> owner.view().applications().liveCount() == 0);
  }

  @Test
  void completesTheFutureOfARequest() throws Exception {
    ExcludeList list = ExcludeList.parse(List.of("a:1"));
    CompletableFuture<Integer> answer =
        owner.submit(
            (view, nowMs) -> Decision.of(new LoggedChange.ExclusionsSet(list), list.size()));
    assertThat(result(answer)).isEqualTo(1);
    assertThat(owner.view().excluded()).isEqualTo(list);
    owner.close();
    assertThat(owner.submit((view, nowMs) -> Decision.unchanged(0))).isCompletedExceptionally();
  }

  @Test
  void answersWaitingRequestsWhenClosed() throws Exception {
    List<CompletableFuture<Integer>> waiting = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      waiting.add(submit(registering("app-" + i)));
    }
    owner.close();
    owner.close();
    for (CompletableFuture<Integer> one : waiting) {
      assertThat(result(one)).isPositive();
    }
    assertThat(submit(registering("late"))).isNull();
    assertThat(owner.healthy()).isFalse();
  }

  private StateOwner.Decider<Integer> excluding(String... servers) {
    return (view, nowMs) ->
        Decision.of(
            new LoggedChange.ExclusionsSet(ExcludeList.parse(List.of(servers))), servers.length);
  }

  private List<Event.Kind> events() {
    return history.events().all().stream().map(ClusterEvent::event).map(Event::kind).toList();
  }

  @Test
  void answersAfterTheChangeIsLogged() throws Exception {
    result(submit(excluding("a:1")));

    assertThat(log.records()).hasSize(2);
    assertThat(events()).containsExactly(Event.Kind.EXCLUSIONS_CHANGED);
  }

  @Test
  void aRoundThatLogsNothingWritesNothing() throws Exception {
    result(submit((view, nowMs) -> Decision.of(new MetadataRecord.LeaseRenewed("app", nowMs), 0)));

    assertThat(log.appends()).isZero();
  }

  @Test
  void aRoundIsOneBatch() throws Exception {
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch leave = new CountDownLatch(1);
    CompletableFuture<Integer> blocking =
        submit(
            (view, nowMs) -> {
              entered.countDown();
              awaitLatch(leave);
              return Decision.unchanged(0);
            });
    assertThat(entered.await(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
    List<CompletableFuture<Integer>> waiting = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      waiting.add(submit(excluding("a:" + (i + 1))));
    }
    leave.countDown();
    result(blocking);
    for (CompletableFuture<Integer> one : waiting) {
      result(one);
    }

    assertThat(log.appends()).isEqualTo(1);
    assertThat(log.records()).hasSize(200);
  }

  private static void awaitLatch(CountDownLatch latch) {
    try {
      assertThat(latch.await(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aFullDiskFailsOnlyLoggedRequests() throws Exception {
    log.fail("no space left on device");

    CompletableFuture<Integer> excluded = submit(excluding("a:1"));
    assertThatThrownBy(() -> result(excluded))
        .hasCauseInstanceOf(LogUnavailableException.class)
        .hasMessageContaining("no space left on device");

    assertThat(owner.view().excluded()).isEqualTo(ExcludeList.empty());
    assertThat(owner.logProblem()).contains("no space left on device");
    // Registrations are in memory only; the event waits.
    assertThat(result(submit(registering("app")))).isEqualTo(1);
    assertThat(owner.view().applications().liveCount()).isEqualTo(1);
    assertThat(events()).isEmpty();
    assertThat(log.records()).isEmpty();
    assertThat(owner.healthy()).isTrue();
  }

  @Test
  void aPeriodicRequestIsAnsweredWithoutTheLog() throws Exception {
    log.fail("no space left on device");

    CompletableFuture<Integer> left =
        submit(
            (view, nowMs) ->
                Decision.repeated(
                    List.of(
                        new MetadataRecord.ServerLeft("a:1", 1),
                        new LoggedChange.DecommissionEnded("a:1", false)),
                    7));

    assertThat(result(left)).isEqualTo(7);
    assertThat(log.records()).isEmpty();
  }

  @Test
  void logsWaitingEventsAfterRecovery() throws Exception {
    log.fail("no space left on device");
    result(submit(registering("app")));
    log.recover();
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(2));
    await(() -> events().contains(Event.Kind.METADATA_LOG_RECOVERED));

    assertThat(events())
        .containsExactlyInAnyOrder(
            Event.Kind.APPLICATION_REGISTERED,
            Event.Kind.METADATA_LOG_FAILED,
            Event.Kind.METADATA_LOG_RECOVERED);
    assertThat(result(submit(excluding("a:1")))).isEqualTo(1);
    assertThat(owner.view().excluded().contains("a:1")).isTrue();
  }

  @Test
  void waitingEventsAreBounded() throws Exception {
    log.fail("no space left on device");
    for (int i = 0; i < StateOwner.MAX_WAITING_EVENTS + 10; i++) {
      result(
          submit((view, nowMs) -> Decision.of(new MetadataRecord.ServerLost("a:1", 1, nowMs), 0)));
    }
    result(submit((view, nowMs) -> Decision.unchanged(0)));
    log.recover();
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(2));
    await(() -> events().contains(Event.Kind.METADATA_LOG_RECOVERED));

    assertThat(events()).hasSize(StateOwner.MAX_WAITING_EVENTS + 1);
  }

  @Test
  void aBugInTheLogFailsEveryRequest() throws Exception {
    log.breakDown();

    CompletableFuture<Integer> excluded = submit(excluding("a:1"));

    assertThatThrownBy(() -> result(excluded)).hasMessageContaining("internal error");
    await(() -> !owner.healthy());
  }

  private static void await(BooleanSupplier condition) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("condition not met in time").isLessThan(deadline);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
  }
}
