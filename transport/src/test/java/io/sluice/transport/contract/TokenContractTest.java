package io.sluice.transport.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.common.auth.ApplicationCredentials;
import io.sluice.common.auth.Revocation;
import io.sluice.common.auth.TestAuthority;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.common.test.SettableClock;
import io.sluice.proto.PushAck;
import io.sluice.transport.client.ConnectionLostException;
import io.sluice.transport.client.DataConnection;
import io.sluice.transport.client.DataTransport;
import io.sluice.transport.client.TransportConfig;
import io.sluice.transport.protocol.ConnectionGuard;
import io.sluice.transport.server.DataTransportConfig;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Connections whose token expires or is revoked while they are open. */
class TokenContractTest extends TransportEnds {
  private static final long LIFETIME_MS = 10_000;
  private static final int HOURS_MS = 4 * 3_600_000;

  private final SettableClock clock = new SettableClock();
  private final TestAuthority authority = new TestAuthority(clock);
  private final ApplicationCredentials credentials = new ApplicationCredentials();
  private DataTransport proving;

  @BeforeEach
  void requireTokens() throws IOException {
    service.guard(
        new ConnectionGuard(authority.verifier(), true, new SecureRandom(), Runnable::run));
    restart(HOURS_MS);
    renewToken();
  }

  /**
   * @param helloTimeoutMs four times the interval of the periodic check of connections
   */
  private void restart(int helloTimeoutMs) throws IOException {
    start(new DataTransportConfig(helloTimeoutMs, HOURS_MS, HOURS_MS, 100, 100));
    proving =
        loopback.newClient(
            new TransportConfig(5_000, 30_000, variant.clientIoMode(), 2, LIMITS), credentials);
    opened.add(proving);
  }

  private void renewToken() {
    credentials.update(authority.issue(APPLICATION, "alice", LIFETIME_MS));
  }

  @Override
  DataConnection connect() throws Exception {
    return get(proving.connect(loopback.server(), APPLICATION, "test"));
  }

  private static StatusCode refusalOf(CompletableFuture<?> request) {
    return catchThrowableOfType(SluiceException.class, () -> get(request)).code();
  }

  @Test
  void anExpiredTokenEndsTheConnectionAtItsNextRequest() throws Exception {
    DataConnection connection = connect();
    assertThat(connection.credential()).isEqualTo(credentials.newest());
    push(connection, 1, randomBytes(1_000));
    clock.pass(LIFETIME_MS - 1);
    push(connection, 1, randomBytes(1_000));

    clock.pass(1);

    assertThat(refusalOf(connection.push(pushOf(1), direct(randomBytes(1_000)))))
        .isEqualTo(StatusCode.TOKEN_EXPIRED);
    await("closed", () -> !connection.isOpen());
    await("closed by the server", () -> loopback.counters().openConnections() == 0);

    renewToken();
    push(connect(), 1, randomBytes(1_000));
  }

  @Test
  void everyRequestInProgressFailsWithTheExpiry() throws Exception {
    restart(4_000);
    DataConnection connection = connect();
    push(connection, 1, randomBytes(SLABS * SLAB));
    CompletableFuture<PushAck> waits = connection.push(pushOf(2), direct(randomBytes(300_000)));
    CompletableFuture<PushAck> behind = connection.push(pushOf(2), direct(randomBytes(1)));
    await("waits", () -> memory.waiting() == 1);

    clock.pass(LIFETIME_MS);

    assertThat(refusalOf(waits)).isEqualTo(StatusCode.TOKEN_EXPIRED);
    assertThat(refusalOf(behind)).isEqualTo(StatusCode.TOKEN_EXPIRED);
  }

  @Test
  void anIdleConnectionIsClosedWhenItsTokenHasExpired() throws Exception {
    restart(4_000);
    DataConnection connection = connect();

    clock.pass(LIFETIME_MS);

    await("closed", () -> !connection.isOpen());
    assertThat(refusalOf(connection.push(pushOf(1), direct(randomBytes(1)))))
        .isEqualTo(StatusCode.TOKEN_EXPIRED);
  }

  @Test
  void aRevokedTokenEndsTheConnectionAtItsNextRequest() throws Exception {
    DataConnection connection = connect();
    push(connection, 1, randomBytes(1_000));

    authority
        .revocations()
        .add(List.of(Revocation.ofUser("alice", clock.millis(), clock.millis() + LIFETIME_MS)));

    ConnectionLostException lost =
        catchThrowableOfType(
            ConnectionLostException.class,
            () -> get(connection.push(pushOf(1), direct(randomBytes(1_000)))));
    assertThat(lost).hasMessageContaining("an operator revoked the tokens of user \"alice\"");
    assertThat(refusalOf(proving.connect(loopback.server(), APPLICATION, "test")))
        .isEqualTo(StatusCode.DENIED);
    clock.pass(1);
    renewToken();
    push(connect(), 1, randomBytes(1_000));
  }

  @Test
  void anIdleConnectionIsClosedWhenItsTokenIsRevoked() throws Exception {
    restart(4_000);
    DataConnection connection = connect();

    authority
        .revocations()
        .add(
            List.of(
                Revocation.ofApplication(
                    APPLICATION, clock.millis(), clock.millis() + LIFETIME_MS)));

    await("closed", () -> !connection.isOpen());
  }
}
