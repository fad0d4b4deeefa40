package io.sluice.client.server;

import io.sluice.proto.ServerId;
import io.sluice.transport.client.DataConnection;
import java.util.concurrent.TimeUnit;

/**
 * The state of one task's work with one shuffle server: the connection, the failures since the last
 * success, the back-off after a failure, and the time at which an answer is overdue. Push sessions
 * and reads add what they send. Contains no thread, clock or socket: callers pass the time, in
 * nanoseconds of a monotonic clock. Belongs to one thread.
 *
 * <pre>
 *                 connecting           connected
 *  DISCONNECTED ------------&gt; CONNECTING ---------&gt; CONNECTED
 *       ^                         |                    |
 *       +------ disconnected -----+--- disconnected ---+
 *
 *  In each of them:
 *
 *           failed              backOff
 *  HEALTHY ---------&gt; FAILING ------------&gt; BACKING OFF    mayAct: the back-off has ended
 *     ^                  ^                       |
 *     |                  +-------- mayAct -------+
 *     +---- succeeded ---+---- succeeded --------+
 *
 *             expectAnswerBy
 *  NOT OWED -----------------&gt; OWED     isOverdue: its time has passed
 *     ^                          |
 *     +------ answered ----------+
 * </pre>
 */
public final class ServerSession {
  private final ServerId server;
  private State state = State.DISCONNECTED;
  private DataConnection connection;
  private int failures;
  private long failingSinceNanos;
  private boolean backingOff;
  private long backOffEndNanos;
  private boolean answerOwed;
  private long answerDueNanos;

  private enum State {
    DISCONNECTED,
    CONNECTING,
    CONNECTED
  }

  public ServerSession(ServerId server) {
    this.server = server;
  }

  public ServerId server() {
    return server;
  }

  public String name() {
    return server.getName();
  }

  /** The connection in use; null unless connected. */
  public DataConnection connection() {
    return connection;
  }

  /** Whether there is a connection, and it has not ended. */
  public boolean isConnected() {
    return connection != null && connection.isOpen();
  }

  public boolean isConnecting() {
    return state == State.CONNECTING;
  }

  public void connecting() {
    state = State.CONNECTING;
    connection = null;
  }

  /**
   * @param made lends, until {@link #disconnected} or {@link #connecting}; belongs to the pool
   */
  public void connected(DataConnection made) {
    state = State.CONNECTED;
    connection = made;
  }

  /** The connection was lost, could not be made, or is not wanted any more. */
  public void disconnected() {
    state = State.DISCONNECTED;
    connection = null;
  }

  /** The server has done what it was asked to do: failures and back-off end. */
  public void succeeded() {
    failures = 0;
    backingOff = false;
  }

  /**
   * Counts a failure, unless the server is backing off: requests that were sent together fail
   * together, and count once.
   *
   * @return whether the failure counted; then the caller backs off or gives the server up
   */
  public boolean failed(long now) {
    if (backingOff && now - backOffEndNanos < 0) {
      return false;
    }
    if (failures++ == 0) {
      failingSinceNanos = now;
    }
    return true;
  }

  /** Failures since the last success. */
  public int failures() {
    return failures;
  }

  /** Milliseconds since the first failure after the last success. */
  public long failingMs(long now) {
    return TimeUnit.NANOSECONDS.toMillis(now - failingSinceNanos);
  }

  /** Whether a policy allows no more attempts. */
  public boolean isExhausted(RetryPolicy policy, long now) {
    return failures >= policy.maxAttempts() || failingMs(now) >= policy.retryPeriodMs();
  }

  /** Starts the delay that a policy has after this number of failures. */
  public void backOff(RetryPolicy policy, long now) {
    long leftMs = policy.retryPeriodMs() - failingMs(now);
    backOff(Math.min(policy.delayMs(failures), leftMs), now);
  }

  /** Starts a delay in milliseconds, which nothing is sent before the end of. */
  public void backOff(long delayMs, long now) {
    backingOff = true;
    backOffEndNanos = now + TimeUnit.MILLISECONDS.toNanos(delayMs);
  }

  /** Ends the back-off before its time. */
  public void endBackOff() {
    backingOff = false;
  }

  public boolean isBackingOff() {
    return backingOff;
  }

  /** Whether requests may be sent: false during a back-off, which ends here once it is over. */
  public boolean mayAct(long now) {
    if (backingOff && now - backOffEndNanos >= 0) {
      backingOff = false;
    }
    return !backingOff;
  }

  /** Nanoseconds until the back-off ends; {@link Long#MAX_VALUE} without one. */
  public long backOffLeftNanos(long now) {
    return backingOff ? backOffEndNanos - now : Long.MAX_VALUE;
  }

  /** The server owes an answer, which is overdue from a point in time. */
  public void expectAnswerBy(long nanos) {
    answerOwed = true;
    answerDueNanos = nanos;
  }

  /** The server owes no answer any more. */
  public void answered() {
    answerOwed = false;
  }

  public boolean owesAnswer() {
    return answerOwed;
  }

  public boolean isOverdue(long now) {
    return answerOwed && now - answerDueNanos >= 0;
  }

  /** Nanoseconds until the answer is overdue; {@link Long#MAX_VALUE} if none is owed. */
  public long answerLeftNanos(long now) {
    return answerOwed ? answerDueNanos - now : Long.MAX_VALUE;
  }
}
