package io.sluice.coordinator.state;

import io.sluice.coordinator.history.ClusterHistory;
import io.sluice.coordinator.history.Event;
import io.sluice.coordinator.log.MetadataLog;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Owns the coordinator's state: the one thread that decides, logs, applies and publishes.
 *
 * <p>Requests wait in a bounded queue. The thread takes a batch of waiting requests and handles
 * them in one round:
 *
 * <ol>
 *   <li>decide: one request after the other, each on the view after the previous decision
 *   <li>log: the logged changes and events of all decisions are appended as one batch
 *   <li>apply: the last view is published; the history and the watcher receive every change
 *   <li>answer: replies are sent after their effects are in {@link #view} and in the log
 * </ol>
 *
 * <p>A round without logged changes writes nothing. Once a second, between rounds, the thread
 * checks timeouts, which is a round without requests.
 *
 * <p>If the batch cannot be written, the round is decided again without the log: requests with
 * logged changes fail, the others are answered, and up to {@link #MAX_WAITING_EVENTS} events and
 * finished applications wait for the log. The write is retried once a second.
 *
 * <p>If coordinators share the log, one leads. The others follow: they apply the committed changes
 * of the leader, and of their own requests only the in-memory changes of those that were submitted
 * with {@link #observe}. Other requests fail with {@link NotLeadingException}.
 *
 * <p>{@link #submit} and {@link #view} are thread-safe; {@link #start} and {@link #close} are for
 * the owner of this object.
 */
public final class StateOwner implements AutoCloseable {
  /**
   * Maximum number of waiting requests. A request takes microseconds, so a full queue is tens of
   * milliseconds of work.
   */
  public static final int QUEUE_CAPACITY = 10_000;

  /**
   * Maximum number of events and finished applications that wait while the log cannot be written;
   * then the oldest are dropped.
   */
  static final int MAX_WAITING_EVENTS = 1000;

  /** Maximum number of requests in a round; bounds the latency of the first one. */
  private static final int MAX_ROUND = 256;

  private static final long TIMEOUT_CHECK_INTERVAL_MS = 1000;
  private static final long IDLE_WAIT_MS = 100;
  private static final long CLOSE_WAIT_MS = 5000;

  private static final Logger log = LoggerFactory.getLogger(StateOwner.class);

  /** Decides a request on the current state, on the state thread. Must not block. */
  public interface Decider<R> {
    Decision<R> decide(ClusterView view, long nowMs);
  }

  /**
   * Receives the outcome of a request, on the state thread: exactly one of the two methods is
   * called, once. Must not block.
   */
  public interface Outcome<R> {
    void decided(R reply);

    /**
     * The request failed because of a bug, an unavailable log, or the shutdown of the coordinator.
     */
    void failed(Throwable cause);
  }

  /** Receives figures of the state thread. Called on the state thread. */
  public interface Probe {
    /** A round was completed. {@code oldestWaitNanos} is the queueing time of its first request. */
    void round(int requests, long oldestWaitNanos);

    /** Timeouts expired and changed the state. */
    default void timedOut(List<MetadataRecord> records) {}
  }

  /** Receives every change in order, on the state thread. Must not block. */
  public interface Watcher {
    /**
     * @param view the view after all changes of the round
     * @param at wall clock time of the round
     */
    void changed(MetadataRecord record, ClusterView view, Instant at);

    /** The view was replaced by the state of another coordinator. */
    default void replaced(ClusterView view) {}
  }

  private final StateClock clock;
  private final Supplier<TimeoutDecisions> timeouts;
  private final StateLog stateLog;
  private final ClusterHistory history;
  private final Probe probe;
  private final Watcher watcher;
  private final BlockingQueue<Pending<?>> queue = new ArrayBlockingQueue<>(QUEUE_CAPACITY);
  private final Thread thread = new Thread(this::run, "coordinator-state");

  // Used by the state thread only.
  private final List<Pending<?>> round = new ArrayList<>(MAX_ROUND);
  private final Deque<LoggedChange> waitingEvents = new ArrayDeque<>();
  private long lastCheckMs;

  private volatile ClusterView view;
  private volatile boolean closing;
  private volatile long lastRoundMs;

  /**
   * @param timeouts called at each timeout check
   * @param stateLog the restored log; used by the state thread only from now on
   * @param restored the view restored from the log
   * @param history the history restored from the log
   */
  public StateOwner(
      StateClock clock,
      Supplier<TimeoutDecisions> timeouts,
      StateLog stateLog,
      ClusterView restored,
      ClusterHistory history,
      Probe probe,
      Watcher watcher) {
    this.clock = clock;
    this.timeouts = timeouts;
    this.stateLog = stateLog;
    this.history = history;
    this.probe = probe;
    this.watcher = watcher;
    this.view = restored.startingAt(clock.nowMs());
    this.lastRoundMs = clock.nowMs();
    this.lastCheckMs = clock.nowMs();
    thread.setDaemon(true);
  }

  public void start() {
    thread.start();
  }

  /** Returns the latest published state. */
  public ClusterView view() {
    return view;
  }

  /** Returns the time on the clock of the state; see {@link StateClock#nowMs}. */
  public long nowMs() {
    return clock.nowMs();
  }

  /** Whether this coordinator decides; false: another one does, or none. */
  public boolean leads() {
    return stateLog.leads();
  }

  /** Returns the reason why the log cannot be written; empty: it can. */
  public Optional<String> logProblem() {
    return stateLog.problem();
  }

  public int queueDepth() {
    return queue.size();
  }

  /** Whether the state thread is alive and completed a round within the last ten seconds. */
  public boolean healthy() {
    return thread.isAlive() && nowMs() - lastRoundMs < 10 * TIMEOUT_CHECK_INTERVAL_MS;
  }

  /**
   * Adds a request to the queue.
   *
   * @return false if the queue is full or the coordinator is stopping; the outcome is then not
   *     called
   */
  public <R> boolean submit(Decider<R> decider, Outcome<R> outcome) {
    return offer(new Pending<>(decider, outcome, clock.nanos(), false));
  }

  /**
   * Adds a request that is decided even if another coordinator leads; then only its in-memory
   * changes are applied, without events.
   *
   * @return whether the request was added
   */
  public <R> boolean observe(Decider<R> decider, Outcome<R> outcome) {
    return offer(new Pending<>(decider, outcome, clock.nanos(), true));
  }

  private boolean offer(Pending<?> pending) {
    if (closing || !queue.offer(pending)) {
      return false;
    }
    if (closing && !thread.isAlive()) {
      failAll();
    }
    return true;
  }

  /** Stops the thread after the waiting requests are handled. */
  @Override
  public void close() {
    closing = true;
    try {
      thread.join(CLOSE_WAIT_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (thread.isAlive()) {
      log.error(
          "state thread did not stop in time waitedMs={} queuedRequests={}",
          CLOSE_WAIT_MS,
          queue.size());
      thread.interrupt();
    }
    failAll();
  }

  /**
   * Adds a request to the queue and returns a future of the reply.
   *
   * @return completed on the state thread, so dependent stages must not block; completed
   *     exceptionally if the queue is full or the request failed
   */
  public <R> CompletableFuture<R> submit(Decider<R> decider) {
    CompletableFuture<R> answer = new CompletableFuture<>();
    boolean accepted =
        submit(
            decider,
            new Outcome<R>() {
              @Override
              public void decided(R reply) {
                answer.complete(reply);
              }

              @Override
              public void failed(Throwable cause) {
                answer.completeExceptionally(cause);
              }
            });
    if (!accepted) {
      answer.completeExceptionally(
          new RejectedExecutionException("the queue of this coordinator is full"));
    }
    return answer;
  }

  private void failAll() {
    for (Pending<?> pending = queue.poll(); pending != null; pending = queue.poll()) {
      pending.outcome.failed(new IllegalStateException("the coordinator is stopping"));
    }
  }

  private void run() {
    try {
      rounds();
    } catch (RuntimeException | Error e) {
      // A record that cannot be applied is a bug. The view may be wrong and must not be used.
      log.error("internal error, state thread stopped: restart the coordinator", e);
      closing = true;
      round.forEach(pending -> pending.fail(new IllegalStateException("internal error: " + e, e)));
      failAll();
    }
  }

  private void rounds() {
    while (!closing || !queue.isEmpty()) {
      try {
        Pending<?> first = queue.poll(IDLE_WAIT_MS, TimeUnit.MILLISECONDS);
        applyDeliveries();
        if (first != null) {
          decideRound(first);
        }
      } catch (InterruptedException e) {
        return;
      }
      checkTimeoutsIfDue();
    }
  }

  /**
   * Answers the requests in the queue and checks timeouts, on the calling thread: for an owner
   * whose thread is not started, as in a simulation.
   */
  public void runPending() {
    applyDeliveries();
    for (Pending<?> first = queue.poll(); first != null; first = queue.poll()) {
      decideRound(first);
    }
    checkTimeoutsIfDue();
  }

  private void applyDeliveries() {
    for (Optional<MetadataLog.Delivery> next = stateLog.poll();
        next.isPresent();
        next = stateLog.poll()) {
      try {
        apply(next.get());
      } catch (IOException e) {
        throw new IllegalStateException("a shared record cannot be applied: " + e.getMessage(), e);
      }
      stateLog.snapshotIfDue(view, history);
    }
  }

  private void apply(MetadataLog.Delivery delivery) throws IOException {
    if (delivery instanceof MetadataLog.Delivery.Appended appended) {
      waitingEvents.clear();
      for (LoggedChange change : StateLog.decoded(appended.records())) {
        view = change.applyTo(view);
        change.applyTo(history);
        watcher.changed(change, view, clock.instant());
      }
    } else if (delivery instanceof MetadataLog.Delivery.Replaced replaced) {
      waitingEvents.clear();
      List<LoggedChange> changes = StateLog.decoded(replaced.snapshot());
      view = view.replacedBy(changes);
      history.clearLogged();
      changes.forEach(change -> change.applyTo(history));
      watcher.replaced(view);
    } else {
      // Renewals are not logged: this coordinator does not know when drivers renewed their leases.
      view = view.renewingLeases(clock.nowMs());
    }
  }

  private void decideRound(Pending<?> first) {
    round.add(first);
    queue.drainTo(round, MAX_ROUND - 1);
    decideRound();
    round.clear();
  }

  private void checkTimeoutsIfDue() {
    long nowMs = nowMs();
    if (nowMs - lastCheckMs >= TIMEOUT_CHECK_INTERVAL_MS) {
      lastCheckMs = nowMs;
      checkTimeouts(nowMs);
    }
    lastRoundMs = nowMs;
  }

  private void decideRound() {
    long startNanos = clock.nanos();
    long nowMs = nowMs();
    StateStep step = decided(nowMs, null);
    if (step.logs() && (stateLog.problem().isPresent() || !write(step))) {
      step = decided(nowMs, stateLog.problem().orElse(null));
    }
    publish(step);
    for (Pending<?> pending : round) {
      pending.answer();
    }
    probe.round(round.size(), startNanos - round.get(0).submittedNanos);
    stateLog.snapshotIfDue(view, history);
  }

  private StateStep decided(long nowMs, String logProblem) {
    StateStep step = step(clock.instant(), logProblem);
    for (Pending<?> pending : round) {
      pending.decide(step, nowMs);
    }
    return step;
  }

  private StateStep step(Instant at, String logProblem) {
    return new StateStep(view, at, logProblem, following(), history.tasks());
  }

  /**
   * Whether another coordinator decides. Changes that this one appended after {@link #write} failed
   * are in the log or not; in both cases it follows until it is elected again.
   */
  private boolean following() {
    return !stateLog.leads();
  }

  private void checkTimeouts(long nowMs) {
    List<MetadataRecord> expired = timeouts.get().expired(view, nowMs);
    StateStep step = step(clock.instant(), null);
    expired.forEach(step::add);
    if (stateLog.problem().isPresent()) {
      step.add(Event.of(Event.Kind.METADATA_LOG_RECOVERED));
    }
    if (step.logs() && !write(step)) {
      step = step(step.at(), stateLog.problem().orElse(null));
      expired.forEach(step::add);
    }
    publish(step);
    probe.timedOut(step.records());
    stateLog.snapshotIfDue(view, history);
  }

  /**
   * Appends the waiting events and the changes of the step.
   *
   * @return false if the log cannot be written
   */
  private boolean write(StateStep step) {
    boolean failed = stateLog.problem().isPresent();
    List<LoggedChange> batch = new ArrayList<>(waitingEvents);
    batch.addAll(step.logged());
    if (!stateLog.append(batch)) {
      if (following()) {
        waitingEvents.clear();
      } else if (!failed) {
        Event event =
            Event.of(Event.Kind.METADATA_LOG_FAILED)
                .with("reason", stateLog.problem().orElse("unknown"));
        event.logTo(log);
        await(StateStep.listed(event, step.at()));
      }
      return false;
    }
    waitingEvents.forEach(change -> change.applyTo(history));
    waitingEvents.clear();
    return true;
  }

  private void publish(StateStep step) {
    view = step.view();
    step.events().forEach(event -> event.logTo(log));
    step.waiting().forEach(this::await);
    for (LoggedChange change : step.logged()) {
      change.applyTo(history);
    }
    for (MetadataRecord record : step.records()) {
      watcher.changed(record, step.view(), step.at());
    }
  }

  private void await(LoggedChange event) {
    waitingEvents.addLast(event);
    if (waitingEvents.size() > MAX_WAITING_EVENTS) {
      waitingEvents.removeFirst();
    }
  }

  /** A request in the queue or in a round. */
  private static final class Pending<R> {
    private final Decider<R> decider;
    private final Outcome<R> outcome;
    private final long submittedNanos;
    private final boolean observes;
    private R reply;
    private RuntimeException failure;
    private boolean answered;

    Pending(Decider<R> decider, Outcome<R> outcome, long submittedNanos, boolean observes) {
      this.decider = decider;
      this.outcome = outcome;
      this.submittedNanos = submittedNanos;
      this.observes = observes;
    }

    /** Decides the request and stores the reply. An exception fails this request only. */
    void decide(StateStep step, long nowMs) {
      failure = null;
      if (step.isFollowing() && !observes) {
        failure = new NotLeadingException();
        return;
      }
      Decision<R> decision;
      try {
        decision = decider.decide(step.view(), nowMs);
      } catch (RuntimeException e) {
        failure = e;
        return;
      }
      if (step.refuses(decision)) {
        failure = new LogUnavailableException(step.logProblem());
      } else {
        reply = decision.reply();
        decision.records().forEach(step::add);
      }
    }

    void fail(RuntimeException cause) {
      if (!answered) {
        failure = cause;
        answer();
      }
    }

    void answer() {
      answered = true;
      try {
        if (failure == null) {
          outcome.decided(reply);
        } else {
          outcome.failed(failure);
        }
      } catch (RuntimeException e) {
        log.warn("reply could not be delivered reason={}", e.toString());
      }
    }
  }
}
