package io.sluice.server.service;

import io.netty.buffer.ByteBuf;
import io.sluice.common.auth.ConnectionGuard;
import io.sluice.common.error.SluiceException;
import io.sluice.common.frame.FrameLimits;
import io.sluice.proto.Fetch;
import io.sluice.proto.Hello;
import io.sluice.proto.HelloReply;
import io.sluice.proto.Open;
import io.sluice.proto.OpenReply;
import io.sluice.proto.Push;
import io.sluice.proto.PushAck;
import io.sluice.server.memory.BodyMemory;
import io.sluice.server.memory.RequestMemory;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Hands every call on to another service; what is to be different is overridden. */
public abstract class ForwardingDataService implements DataService {
  private final DataService service;

  protected ForwardingDataService(DataService service) {
    this.service = service;
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
  public RequestMemory requestMemory() {
    return service.requestMemory();
  }

  @Override
  public HelloReply hello(Hello hello) throws SluiceException {
    return service.hello(hello);
  }

  @Override
  public void checkPush(ClientConnection connection, Push push, int bodyLength)
      throws SluiceException {
    service.checkPush(connection, push, bodyLength);
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
