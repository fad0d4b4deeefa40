package io.sluice.coordinator.state;

import io.sluice.coordinator.history.ClusterEvent;
import io.sluice.coordinator.history.ClusterHistory;
import io.sluice.coordinator.history.Event;
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
 * <p>Requests wait in a bounded queue. The thread takes those that wait and makes a round of them:
 *
 * <ol>
 *   <li>decide: one request after the other, each on the view that the one before left
 *   <li>log: the logged changes of all of them, and the events, are appended as one batch
 *   <li>apply: the last view is published, history and watchers are given every change
 *   <li>answer: a caller with an answer finds its effect in {@link #view}, and in the log
 * </ol>
 *
 * <p>A round that logs nothing writes nothing. Between rounds, once a second, it lets time pass,
 * which is a round without requests.
 *
 * <p>If the batch cannot be written, the round is decided again without the log: requests that must
 * be logged fail, the others are answered, and events wait, at most {@link #MAX_WAITING_EVENTS} of
 * them. It is tried again once a second.
 *
 * <p>{@link #submit} and {@link #view} are thread-safe; {@link #start} and {@link #close} are for
 * the owner of this object.
 */
public final class StateOwner implements AutoCloseable {
  /**
   * A request takes microseconds, so a full queue is milliseconds of work; more than this waiting
   * means that something else is wrong.
   */
  public static final int QUEUE_CAPACITY = 10_000;

  /** Events that wait while the log cannot be written; the oldest are dropped beyond that. */
  static final int MAX_WAITING_EVENTS = 1000;

  /** Bounds how long the first request of a round waits for its answer. */
  private static final int MAX_ROUND = 256;

  private static final long TIME_PASSES_EVERY_MS = 1000;
  private static final long IDLE_WAIT_MS = 100;
  private static final long CLOSE_WAIT_MS = 5000;

  private static final Logger log = LoggerFactory.getLogger(StateOwner.class);

  /** Decides on the state as it is when the request's turn has come. Must not block. */
  public interface Decider<R> {
    Decision<R> decide(ClusterView view, long nowMs);
  }

  /**
   * Takes the outcome of a request, on the owner's thread: exactly one of the two is called, once.
   * Must not block.
   */
  public interface Outcome<R> {
    void decided(R reply);

    /** The request could not be decided because of a defect, or because the coordinator stops. */
    void failed(Throwable cause);
  }

  /** Figures of the owner's work. Called on the owner's thread. */
  public interface Probe {
    /** One round is over: so many requests, of which the first waited so long. */
    void round(int requests, long oldestWaitNanos);

    /** Time has passed, and that changed something. */
    default void timePassed(List<MetadataRecord> records) {}
  }

  /** Sees every change, on the owner's thread, in order. Must not block. */
  public interface Watcher {
    /**
     * @param view after all changes of the round
     * @param at the wall clock of the round
     */
    void changed(MetadataRecord record, ClusterView view, Instant at);
  }

  private final StateClock clock;
  private final Supplier<Elapsed> elapsed;
  private final StateLog stateLog;
  private final ClusterHistory history;
  private final Probe probe;
  private final Watcher watcher;
  private final BlockingQueue<Pending<?>> queue = new ArrayBlockingQueue<>(QUEUE_CAPACITY);
  private final Thread thread = new Thread(this::run, "coordinator-state");

  // Used on the owner's thread only.
  private final List<Pending<?>> round = new ArrayList<>(MAX_ROUND);
  private final Deque<LoggedChange> waitingEvents = new ArrayDeque<>();
  private long timePassedMs;

  private volatile ClusterView view;
  private volatile boolean closing;
  private volatile long lastRoundMs;

  /**
   * @param elapsed asked each time that time passes
   * @param stateLog read before; belongs to the owner's thread from now on
   * @param restored what it gave
   * @param history what it gave, too
   */
  public StateOwner(
      StateClock clock,
      Supplier<Elapsed> elapsed,
      StateLog stateLog,
      ClusterView restored,
      ClusterHistory history,
      Probe probe,
      Watcher watcher) {
    this.clock = clock;
    this.elapsed = elapsed;
    this.stateLog = stateLog;
    this.history = history;
    this.probe = probe;
    this.watcher = watcher;
    this.view = restored.startingAt(clock.nowMs());
    this.lastRoundMs = clock.nowMs();
    this.timePassedMs = clock.nowMs();
    thread.setDaemon(true);
  }

  public void start() {
    thread.start();
  }

  /** The state as it was published last. */
  public ClusterView view() {
    return view;
  }

  /** The time that decisions are made with: see {@link StateClock#nowMs}. */
  public long nowMs() {
    return clock.nowMs();
  }

  /** Why the log cannot be written; empty: it can. */
  public Optional<String> logProblem() {
    return stateLog.problem();
  }

  public int queueDepth() {
    return queue.size();
  }

  /** Whether the owner's thread is alive and has made a round lately. */
  public boolean healthy() {
    return thread.isAlive() && nowMs() - lastRoundMs < 10 * TIME_PASSES_EVERY_MS;
  }

  /**
   * Puts a request in the queue.
   *
   * @return false if the queue is full or the coordinator stops; the outcome is not called then
   */
  public <R> boolean submit(Decider<R> decider, Outcome<R> outcome) {
    if (closing || !queue.offer(new Pending<>(decider, outcome, clock.nanos()))) {
      return false;
    }
    if (closing && !thread.isAlive()) {
      failAll();
    }
    return true;
  }

  /** Ends the thread after the requests that wait now. */
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
          "state thread did not end in time waitedMs={} queued={}", CLOSE_WAIT_MS, queue.size());
      thread.interrupt();
    }
    failAll();
  }

  /**
   * Puts a request in the queue whose answer is waited for elsewhere.
   *
   * @return completed on the owner's thread, so that nothing that depends on it may block;
   *     exceptionally if the queue is full or the request failed
   */
  public <R> CompletableFuture<R> ask(Decider<R> decider) {
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
          new RejectedExecutionException("more calls wait than this coordinator can take"));
    }
    return answer;
  }

  private void failAll() {
    for (Pending<?> pending = queue.poll(); pending != null; pending = queue.poll()) {
      pending.outcome.failed(new IllegalStateException("the coordinator stops"));
    }
  }

  private void run() {
    try {
      rounds();
    } catch (RuntimeException | Error e) {
      // A record that cannot be applied is a defect, and a view that may be wrong must not be
      // served.
      log.error("state thread ends on a defect, restart the coordinator", e);
      closing = true;
      round.forEach(pending -> pending.fail(new IllegalStateException("a defect: " + e, e)));
      failAll();
    }
  }

  private void rounds() {
    while (!closing || !queue.isEmpty()) {
      try {
        Pending<?> first = queue.poll(IDLE_WAIT_MS, TimeUnit.MILLISECONDS);
        if (first != null) {
          decideRound(first);
        }
      } catch (InterruptedException e) {
        return;
      }
      passTimeIfDue();
    }
  }

  /**
   * Answers the requests in the queue and lets time pass, on the calling thread: for an owner whose
   * thread is not started, as in a simulation.
   */
  public void runPending() {
    for (Pending<?> first = queue.poll(); first != null; first = queue.poll()) {
      decideRound(first);
    }
    passTimeIfDue();
  }

  private void decideRound(Pending<?> first) {
    round.add(first);
    queue.drainTo(round, MAX_ROUND - 1);
    decideRound();
    round.clear();
  }

  private void passTimeIfDue() {
    long nowMs = nowMs();
    if (nowMs - timePassedMs >= TIME_PASSES_EVERY_MS) {
      timePassedMs = nowMs;
      passTime(nowMs);
    }
    lastRoundMs = nowMs;
  }

  private void decideRound() {
    long startNanos = clock.nanos();
    long nowMs = nowMs();
    Step step = decided(nowMs, null);
    if (step.logs() && (stateLog.problem().isPresent() || !write(step))) {
      step = decided(nowMs, stateLog.problem().orElseThrow());
    }
    publish(step);
    for (Pending<?> pending : round) {
      pending.answer();
    }
    probe.round(round.size(), startNanos - round.get(0).submittedNanos);
    stateLog.snapshotIfDue(view, history);
  }

  private Step decided(long nowMs, String logProblem) {
    Step step = new Step(view, clock.instant(), logProblem);
    for (Pending<?> pending : round) {
      pending.decide(step, nowMs);
    }
    return step;
  }

  private void passTime(long nowMs) {
    List<MetadataRecord> passed = elapsed.get().at(view, nowMs);
    Step step = new Step(view, clock.instant(), null);
    passed.forEach(step::add);
    if (stateLog.problem().isPresent()) {
      step.add(Event.of(Event.Kind.METADATA_LOG_RECOVERED));
    }
    if (step.logs() && !write(step)) {
      step = new Step(view, step.at, stateLog.problem().orElseThrow());
      passed.forEach(step::add);
    }
    publish(step);
    probe.timePassed(step.records);
    stateLog.snapshotIfDue(view, history);
  }

  /**
   * Appends what waits, and the step's changes behind it.
   *
   * @return false if the log cannot be written
   */
  private boolean write(Step step) {
    boolean failed = stateLog.problem().isPresent();
    List<LoggedChange> batch = new ArrayList<>(waitingEvents);
    batch.addAll(step.logged);
    if (!stateLog.append(batch)) {
      if (!failed) {
        Event event =
            Event.of(Event.Kind.METADATA_LOG_FAILED)
                .with("reason", stateLog.problem().orElse("unknown"));
        event.logTo(log);
        await(listed(event, step.at));
      }
      return false;
    }
    waitingEvents.forEach(change -> change.applyTo(history));
    waitingEvents.clear();
    return true;
  }

  private void publish(Step step) {
    view = step.view;
    step.events.forEach(event -> event.logTo(log));
    step.waiting.forEach(this::await);
    for (LoggedChange change : step.logged) {
      change.applyTo(history);
    }
    for (MetadataRecord record : step.records) {
      watcher.changed(record, step.view, step.at);
    }
  }

  private void await(LoggedChange event) {
    waitingEvents.addLast(event);
    if (waitingEvents.size() > MAX_WAITING_EVENTS) {
      waitingEvents.removeFirst();
    }
  }

  private static LoggedChange listed(Event event, Instant at) {
    return new LoggedChange.EventListed(ClusterEvent.happened(event, at));
  }

  /** What a round changes, before it is published. */
  private static final class Step {
    private final Instant at;

    /** Why this is without the log; null: it is with it. */
    private final String logProblem;

    private final List<MetadataRecord> records = new ArrayList<>();
    private final List<Event> events = new ArrayList<>();

    /** What the log is to have. */
    private final List<LoggedChange> logged = new ArrayList<>();

    /** Events that happen while there is no log. */
    private final List<LoggedChange> waiting = new ArrayList<>();

    private ClusterView view;

    Step(ClusterView view, Instant at, String logProblem) {
      this.view = view;
      this.at = at;
      this.logProblem = logProblem;
    }

    boolean logs() {
      return !logged.isEmpty();
    }

    /** Whether a decision cannot be carried out without the log. */
    boolean refuses(Decision<?> decision) {
      return logProblem != null
          && decision.withoutLog() == Decision.WithoutLog.FAIL
          && decision.records().stream().anyMatch(LoggedChange.class::isInstance);
    }

    void add(MetadataRecord record) {
      if (record instanceof LoggedChange change) {
        if (logProblem != null) {
          return;
        }
        logged.add(change);
      }
      record.events(view).forEach(this::add);
      records.add(record);
      view = record.applyTo(view);
    }

    void add(Event event) {
      events.add(event);
      if (event.isListed()) {
        (logProblem == null ? logged : waiting).add(listed(event, at));
      }
    }
  }

  /** A request on its way through a round. */
  private static final class Pending<R> {
    private final Decider<R> decider;
    private final Outcome<R> outcome;
    private final long submittedNanos;
    private R reply;
    private RuntimeException failure;
    private boolean answered;

    Pending(Decider<R> decider, Outcome<R> outcome, long submittedNanos) {
      this.decider = decider;
      this.outcome = outcome;
      this.submittedNanos = submittedNanos;
    }

    /** Decides and keeps the reply; a defect concerns this request alone. */
    void decide(Step step, long nowMs) {
      failure = null;
      Decision<R> decision;
      try {
        decision = decider.decide(step.view, nowMs);
      } catch (RuntimeException e) {
        failure = e;
        return;
      }
      if (step.refuses(decision)) {
        failure = new LogUnavailableException(step.logProblem);
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
        log.warn("answer not delivered reason={}", e.toString());
      }
    }
  }
}
