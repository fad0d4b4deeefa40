package io.sluice.client.push;

import io.netty.buffer.ByteBuf;
import io.sluice.client.fake.FakeTransport.Fate;
import io.sluice.client.fake.FakeTransport.Faults;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.Push;
import io.sluice.proto.ServerId;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Servers with faults, each from a certain push on. */
final class FailingServers implements Faults {
  /** Behaviour of a failing server. */
  enum FaultKind {
    UNREACHABLE,
    CUT_BEFORE,
    CUT_AFTER,
    SILENT,
    BUSY(StatusCode.BUSY),
    NO_SPACE(StatusCode.NO_SPACE),
    DRAINING(StatusCode.DRAINING),
    STORAGE_FAILED(StatusCode.STORAGE_FAILED),
    CORRUPT(StatusCode.FRAME_CORRUPT),
    LEAVING(StatusCode.LEAVING),
    BAD_VERSION(StatusCode.BAD_VERSION),
    DENIED(StatusCode.DENIED);

    private final StatusCode refusal;

    FaultKind() {
      this(null);
    }

    FaultKind(StatusCode refusal) {
      this.refusal = refusal;
    }
  }

  private final Map<String, FaultKind> faults = new ConcurrentHashMap<>();
  private final Map<String, Integer> from = new ConcurrentHashMap<>();
  private final Map<String, Integer> pushes = new ConcurrentHashMap<>();
  private final Map<String, Integer> connects = new ConcurrentHashMap<>();

  FailingServers with(int server, FaultKind kind, int fromPush) {
    faults.put("server-" + server, kind);
    from.put("server-" + server, fromPush);
    return this;
  }

  void recover() {
    faults.clear();
  }

  int connects(int server) {
    return connects.getOrDefault("server-" + server, 0);
  }

  private FaultKind now(String server) {
    return pushes.getOrDefault(server, 0) < from.getOrDefault(server, 0)
        ? null
        : faults.get(server);
  }

  @Override
  public Fate connect(ServerId server) {
    connects.merge(server.getName(), 1, Integer::sum);
    return now(server.getName()) == FaultKind.UNREACHABLE ? Fate.LOST_BEFORE : Fate.DONE;
  }

  @Override
  public Fate push(ServerId server, Push push, ByteBuf body) throws SluiceException {
    FaultKind kind = now(server.getName());
    pushes.merge(server.getName(), 1, Integer::sum);
    if (kind == null) {
      return Fate.DONE;
    }
    if (kind.refusal != null) {
      throw new SluiceException(kind.refusal, "refused");
    }
    return switch (kind) {
      case CUT_AFTER -> Fate.LOST_AFTER;
      case SILENT -> Fate.SILENT;
      default -> Fate.LOST_BEFORE;
    };
  }
}
