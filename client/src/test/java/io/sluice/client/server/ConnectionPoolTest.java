package io.sluice.client.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.fake.IdleConnection;
import io.sluice.common.auth.ApplicationCredential;
import io.sluice.common.auth.ApplicationCredentials;
import io.sluice.common.auth.TestAuthority;
import io.sluice.common.test.SettableClock;
import io.sluice.proto.ServerId;
import io.sluice.transport.client.DataConnection;
import io.sluice.transport.client.DataTransport;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class ConnectionPoolTest {
  private static final ServerId SERVER =
      ServerId.newBuilder().setName("s:1").setHost("s").setRpcPort(1).build();
  private static final long LIFETIME_MS = 10_000;

  private final SettableClock clock = new SettableClock();
  private final TestAuthority authority = new TestAuthority(clock);
  private final ApplicationCredentials credentials = new ApplicationCredentials();
  private final ConnectionPool pool =
      new ConnectionPool(
          new DataTransport() {
            @Override
            public CompletableFuture<DataConnection> connect(
                ServerId server, String application, String client) {
              return CompletableFuture.completedFuture(new Idle(credentials.newest()));
            }

            @Override
            public void close() {}
          },
          "a.b",
          "test",
          1,
          credentials);

  private void renew(long lifetimeMs) {
    credentials.update(authority.issue("a.b", "a", lifetimeMs));
  }

  private DataConnection connection() {
    return pool.connection(SERVER, 0).join();
  }

  @Test
  void replacesAConnectionOnceANewTokenWasIssuedInTheSecondHalfOfItsLifetime() {
    renew(LIFETIME_MS);
    DataConnection first = connection();
    assertThat(connection()).isSameAs(first);

    clock.pass(LIFETIME_MS / 2);
    renew(LIFETIME_MS);
    assertThat(connection()).isSameAs(first);
    clock.pass(1);
    assertThat(connection()).isSameAs(first);
    renew(LIFETIME_MS);
    DataConnection second = connection();

    assertThat(second).isNotSameAs(first);
    assertThat(second.credential()).isEqualTo(credentials.newest());
    // Tasks may have requests on it.
    assertThat(first.isOpen()).isTrue();
    assertThat(connection()).isSameAs(second);
  }

  @Test
  void usesAShorterTokenThatWasIssuedLater() {
    renew(100 * LIFETIME_MS);
    clock.pass(1);
    renew(LIFETIME_MS);

    assertThat(connection().credential().orElseThrow().expiryMs())
        .isEqualTo(clock.millis() + LIFETIME_MS);
  }

  @Test
  void keepsConnectionsWithoutAToken() {
    DataConnection first = connection();
    renew(LIFETIME_MS);

    assertThat(connection()).isSameAs(first);
  }

  /** A connection without requests. */
  private record Idle(Optional<ApplicationCredential> credential) implements IdleConnection {
    @Override
    public long epoch() {
      return 1;
    }

    @Override
    public long wholeSinceEpoch() {
      return 1;
    }
  }
}
