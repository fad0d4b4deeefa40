package io.sluice.server.limits;

import io.netty.buffer.ByteBuf;
import io.sluice.common.auth.ConnectionGuard;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.common.frame.FrameLimits;
import io.sluice.proto.Fetch;
import io.sluice.proto.Hello;
import io.sluice.proto.HelloReply;
import io.sluice.proto.Open;
import io.sluice.proto.OpenReply;
import io.sluice.proto.Push;
import io.sluice.proto.PushAck;
import io.sluice.server.memory.BodyMemory;
import io.sluice.server.service.ClientConnection;
import io.sluice.server.service.DataService;
import io.sluice.server.service.FetchedBytes;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A service that takes nothing more of applications that have reached a quota; what it has is
 * served. The refusal is DENIED: no other server would take it, so that clients do not go round
 * them but leave their blocks in local output. Thread-safe.
 */
public final class QuotaDataService implements DataService {
  private final DataService service;
  private final OverQuota overQuota;

  public QuotaDataService(DataService service, OverQuota overQuota) {
    this.service = service;
    this.overQuota = overQuota;
  }

  @Override
  public void checkPush(ClientConnection connection, Push push, int bodyLength)
      throws SluiceException {
    String reason = overQuota.reason(connection.application());
    if (reason != null) {
      overQuota.refused();
      throw new SluiceException(StatusCode.DENIED, "no space for this application: " + reason);
    }
    service.checkPush(connection, push, bodyLength);
  }

  @Override
  public long epoch() {
    return service.epoch();
  }

  @Override
  public ConnectionGuard guard() {
    return service.guard();
  }

  @Override
  public FrameLimits limits() {
    return service.limits();
  }

  @Override
  public BodyMemory bodyMemory() {
    return service.bodyMemory();
  }

  @Override
  public HelloReply hello(Hello hello) throws SluiceException {
    return service.hello(hello);
  }

  @Override
  public PushAck push(ClientConnection connection, Push push, ByteBuf body) throws SluiceException {
    return service.push(connection, push, body);
  }

  @Override
  public CompletionStage<OpenReply> open(ClientConnection connection, Open open) {
    return service.open(connection, open);
  }

  @Override
  public CompletableFuture<FetchedBytes> fetch(ClientConnection connection, Fetch fetch) {
    return service.fetch(connection, fetch);
  }
}
