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

/** Servers in trouble, each from a push of its own on. */
final class FailingServers implements Faults {
  /** What a server does, from its so-many-th push on. */
  enum Trouble {
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

    Trouble() {
      this(null);
    }

    Trouble(StatusCode refusal) {
      this.refusal = refusal;
    }
  }

  private final Map<String, Trouble> troubles = new ConcurrentHashMap<>();
  private final Map<String, Integer> from = new ConcurrentHashMap<>();
  private final Map<String, Integer> pushes = new ConcurrentHashMap<>();
  private final Map<String, Integer> connects = new ConcurrentHashMap<>();

  FailingServers with(int server, Trouble trouble, int fromPush) {
    troubles.put("server-" + server, trouble);
    from.put("server-" + server, fromPush);
    return this;
  }

  void over() {
    troubles.clear();
  }

  int connects(int server) {
    return connects.getOrDefault("server-" + server, 0);
  }

  private Trouble now(String server) {
    return pushes.getOrDefault(server, 0) < from.getOrDefault(server, 0)
        ? null
        : troubles.get(server);
  }

  @Override
  public Fate connect(ServerId server) {
    connects.merge(server.getName(), 1, Integer::sum);
    return now(server.getName()) == Trouble.UNREACHABLE ? Fate.LOST_BEFORE : Fate.DONE;
  }

  @Override
  public Fate push(ServerId server, Push push, ByteBuf body) throws SluiceException {
    Trouble trouble = now(server.getName());
    pushes.merge(server.getName(), 1, Integer::sum);
    if (trouble == null) {
      return Fate.DONE;
    }
    if (trouble.refusal != null) {
      throw new SluiceException(trouble.refusal, "refused");
    }
    return switch (trouble) {
      case CUT_AFTER -> Fate.LOST_AFTER;
      case SILENT -> Fate.SILENT;
      default -> Fate.LOST_BEFORE;
    };
  }
}
