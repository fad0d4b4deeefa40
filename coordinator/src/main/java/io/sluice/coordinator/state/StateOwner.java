package io.sluice.coordinator.state;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/**
 * Owns the coordinator's state: the one thread that decides, applies and publishes.
 *
 * <p>Requests wait in a bounded queue. The thread takes what has gathered, decides one request
 * after the other, each on the view that the one before left, publishes the last view, and only
 * then gives the answers: whoever has an answer finds its effect in {@link #view}. The gathered
 * records of a round are what a log would write in one batch before anything is published. Between
 * rounds, once a second, it lets time pass.
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
     * @param events what people are told of it; often nothing
     */
    void changed(MetadataRecord record, List<Event> events);
  }

  private final LongSupplier nanoTime;
  private final Supplier<Elapsed> elapsed;
  private final Probe probe;
  private final Watcher watcher;
  private final BlockingQueue<Pending<?>> queue = new ArrayBlockingQueue<>(QUEUE_CAPACITY);
  private final Thread thread = new Thread(this::run, "coordinator-state");

  private volatile ClusterView view;
  private volatile boolean closing;
  private volatile long lastRoundMs;

  /**
   * @param nanoTime monotonic time, as {@link System#nanoTime}
   * @param elapsed asked each time that time passes
   */
  public StateOwner(
      LongSupplier nanoTime, Supplier<Elapsed> elapsed, Probe probe, Watcher watcher) {
    this.nanoTime = nanoTime;
    this.elapsed = elapsed;
    this.probe = probe;
    this.watcher = watcher;
    this.view = ClusterView.startedAt(nowMs());
    this.lastRoundMs = nowMs();
    thread.setDaemon(true);
  }

  public void start() {
    thread.start();
  }

  /** The state as it was published last. */
  public ClusterView view() {
    return view;
  }

  /**
   * The time that decisions are made with: milliseconds from an arbitrary origin, never backwards.
   */
  public long nowMs() {
    return TimeUnit.NANOSECONDS.toMillis(nanoTime.getAsLong());
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
    if (closing || !queue.offer(new Pending<>(decider, outcome, nanoTime.getAsLong()))) {
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
      failAll();
    }
  }

  private void rounds() {
    List<Pending<?>> round = new ArrayList<>(MAX_ROUND);
    long timePassedMs = nowMs();
    while (!closing || !queue.isEmpty()) {
      try {
        Pending<?> first = queue.poll(IDLE_WAIT_MS, TimeUnit.MILLISECONDS);
        if (first != null) {
          round.add(first);
          queue.drainTo(round, MAX_ROUND - 1);
          decide(round);
          round.clear();
        }
      } catch (InterruptedException e) {
        return;
      }
      long nowMs = nowMs();
      if (nowMs - timePassedMs >= TIME_PASSES_EVERY_MS) {
        timePassedMs = nowMs;
        ClusterView before = view;
        List<MetadataRecord> passed = elapsed.get().at(before, nowMs);
        view = applied(before, passed);
        probe.timePassed(passed);
      }
      lastRoundMs = nowMs;
    }
  }

  private void decide(List<Pending<?>> round) {
    long startNanos = nanoTime.getAsLong();
    long nowMs = TimeUnit.NANOSECONDS.toMillis(startNanos);
    ClusterView current = view;
    for (Pending<?> pending : round) {
      current = applied(current, pending.decide(current, nowMs));
    }
    view = current;
    for (Pending<?> pending : round) {
      pending.answer();
    }
    probe.round(round.size(), startNanos - round.get(0).submittedNanos);
  }

  private ClusterView applied(ClusterView from, List<MetadataRecord> records) {
    ClusterView current = from;
    for (MetadataRecord record : records) {
      List<Event> events = record.events(current);
      for (Event event : events) {
        tell(event);
      }
      current = record.applyTo(current);
      watcher.changed(record, events);
    }
    return current;
  }

  /** One line; what it is about is a field, too, in logs that have fields. */
  private static void tell(Event event) {
    try {
      for (Map.Entry<String, String> field :
          Map.of("application", event.application(), "server", event.server()).entrySet()) {
        if (!field.getValue().isEmpty()) {
          MDC.put(field.getKey(), field.getValue());
        }
      }
      log.atLevel(event.level()).log(event.text());
    } finally {
      MDC.remove("application");
      MDC.remove("server");
    }
  }

  /** A request on its way through a round. */
  private static final class Pending<R> {
    private final Decider<R> decider;
    private final Outcome<R> outcome;
    private final long submittedNanos;
    private R reply;
    private RuntimeException failure;

    Pending(Decider<R> decider, Outcome<R> outcome, long submittedNanos) {
      this.decider = decider;
      this.outcome = outcome;
      this.submittedNanos = submittedNanos;
    }

    /** Decides and keeps the reply; a defect concerns this request alone. */
    List<MetadataRecord> decide(ClusterView current, long nowMs) {
      try {
        Decision<R> decision = decider.decide(current, nowMs);
        reply = decision.reply();
        return decision.records();
      } catch (RuntimeException e) {
        failure = e;
        return List.of();
      }
    }

    void answer() {
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
