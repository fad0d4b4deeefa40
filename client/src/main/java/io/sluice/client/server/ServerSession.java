package io.sluice.client.server;

import io.sluice.proto.ServerId;
import io.sluice.transport.client.DataConnection;
import java.util.concurrent.TimeUnit;

/**
 * State of one shuffle server in one task: the connection, the failures since the last success, the
 * back-off after a failure, and the deadline of the expected reply. {@code PushServer} and {@code
 * ReadServer} own one each and add their frames and slices. Owned by the task thread. Contains no
 * thread, clock or socket: callers pass the time, in nanoseconds of a monotonic clock.
 *
 * <p>Three independent state machines; labels are the methods that change the state.
 *
 * <pre>
 *  Connection:
 *
 *                 connecting           connected
 *  DISCONNECTED ------------&gt; CONNECTING ---------&gt; CONNECTED
 *       ^                         |                     |
 *       +------ disconnected -----+---- disconnected ---+
 *
 *  Failures, in each state of the connection:
 *
 *             failed             backOff
 *  HEALTHY ----------&gt; FAILING -----------&gt; BACKING OFF
 *     ^                 |   ^                    |
 *     |                 |   +- maySend is true --+
 *     +---- succeeded --+-------- succeeded -----+
 *
 *  Replies:
 *
 *                     expectReplyBy
 *  NO REPLY EXPECTED ---------------&gt; REPLY EXPECTED     isOverdue: the deadline has passed
 *          ^                                |
 *          +-------- replyReceived ---------+
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
  private boolean replyExpected;
  private long replyDueNanos;

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

  /** The connection in use; null unless CONNECTED. */
  public DataConnection connection() {
    return connection;
  }

  /** Whether there is an open connection. */
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
   * @param established owned by the pool; used until {@link #disconnected} or {@link #connecting}
   */
  public void connected(DataConnection established) {
    state = State.CONNECTED;
    connection = established;
  }

  /** The connection was lost, could not be established, or is no longer used. */
  public void disconnected() {
    state = State.DISCONNECTED;
    connection = null;
  }

  /** The server has completed a request: resets the failures and ends the back-off. */
  public void succeeded() {
    failures = 0;
    backingOff = false;
  }

  /**
   * Counts a failure, unless the session is backing off: requests that were in flight together fail
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

  /** Whether the policy allows no further attempt. */
  public boolean isExhausted(RetryPolicy policy, long now) {
    return failures >= policy.maxAttempts() || failingMs(now) >= policy.retryPeriodMs();
  }

  /** Starts the delay of the policy for the current number of failures. */
  public void backOff(RetryPolicy policy, long now) {
    long leftMs = policy.retryPeriodMs() - failingMs(now);
    backOff(Math.min(policy.delayMs(failures), leftMs), now);
  }

  /** Starts a delay in milliseconds, during which nothing is sent. */
  public void backOff(long delayMs, long now) {
    backingOff = true;
    backOffEndNanos = now + TimeUnit.MILLISECONDS.toNanos(delayMs);
  }

  /** Ends the back-off early. */
  public void endBackOff() {
    backingOff = false;
  }

  public boolean isBackingOff() {
    return backingOff;
  }

  /**
   * Whether requests may be sent: false during a back-off. Ends a back-off whose time has passed.
   */
  public boolean maySend(long now) {
    if (backingOff && now - backOffEndNanos >= 0) {
      backingOff = false;
    }
    return !backingOff;
  }

  /** Nanoseconds until the back-off ends; {@link Long#MAX_VALUE} if there is none. */
  public long backOffLeftNanos(long now) {
    return backingOff ? backOffEndNanos - now : Long.MAX_VALUE;
  }

  /** Expects a reply, which is overdue from a point in time on. */
  public void expectReplyBy(long nanos) {
    replyExpected = true;
    replyDueNanos = nanos;
  }

  /** Expects no reply any longer. */
  public void replyReceived() {
    replyExpected = false;
  }

  public boolean isReplyExpected() {
    return replyExpected;
  }

  public boolean isOverdue(long now) {
    return replyExpected && now - replyDueNanos >= 0;
  }

  /** Nanoseconds until the reply is overdue; {@link Long#MAX_VALUE} if none is expected. */
  public long replyLeftNanos(long now) {
    return replyExpected ? replyDueNanos - now : Long.MAX_VALUE;
  }
}
