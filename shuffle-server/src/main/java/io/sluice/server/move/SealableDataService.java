package io.sluice.server.move;

import io.netty.buffer.ByteBuf;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.Push;
import io.sluice.proto.PushAck;
import io.sluice.server.service.ClientConnection;
import io.sluice.server.service.DataService;
import io.sluice.server.service.ForwardingDataService;
import java.util.concurrent.locks.StampedLock;

/**
 * A service that can stop taking pushes while it serves reads. It refuses pushes with LEAVING.
 * Thread-safe.
 */
public final class SealableDataService extends ForwardingDataService implements PushSeal {
  private final Runnable refuseWaiting;
  private final StampedLock appends = new StampedLock();
  // Written under the lock's write side.
  private volatile boolean sealed;

  /**
   * @param refuseWaiting has pushes looked at again that wait for memory
   */
  public SealableDataService(DataService service, Runnable refuseWaiting) {
    super(service);
    this.refuseWaiting = refuseWaiting;
  }

  @Override
  public void seal() {
    set(true);
    refuseWaiting.run();
  }

  @Override
  public void unseal() {
    set(false);
  }

  private void set(boolean value) {
    long stamp = appends.writeLock();
    try {
      sealed = value;
    } finally {
      appends.unlockWrite(stamp);
    }
  }

  @Override
  public void checkPush(ClientConnection connection, Push push, int bodyLength)
      throws SluiceException {
    if (sealed) {
      throw refusal();
    }
    super.checkPush(connection, push, bodyLength);
  }

  @Override
  public PushAck push(ClientConnection connection, Push push, ByteBuf body) throws SluiceException {
    // Appends take microseconds, and nobody waits for the other side but while it is sealed.
    long stamp = appends.readLock();
    try {
      if (sealed) {
        body.release();
        throw refusal();
      }
      return super.push(connection, push, body);
    } finally {
      appends.unlockRead(stamp);
    }
  }

  private static SluiceException refusal() {
    return new SluiceException(
        StatusCode.LEAVING,
        "the server is being decommissioned and has moved its data; push to the replacement server");
  }
}
