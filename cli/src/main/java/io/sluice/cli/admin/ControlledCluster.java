package io.sluice.cli.admin;

import io.sluice.cli.control.ControlChannel;
import io.sluice.cli.control.QuorumOptions;
import io.sluice.common.config.HostPort;
import io.sluice.proto.DecommissionReply;
import io.sluice.proto.DecommissionRequest;
import io.sluice.proto.GetStatusReply;
import io.sluice.proto.GetStatusRequest;
import io.sluice.proto.ListServersReply;
import io.sluice.proto.ListServersRequest;
import io.sluice.proto.ServerId;
import io.sluice.proto.ServerInfo;
import java.io.IOException;
import java.util.List;

/** A cluster accessed by control calls. If a coordinator does not answer, another one is used. */
public final class ControlledCluster implements Cluster, AutoCloseable {
  private final QuorumOptions quorum;
  private ControlChannel coordinator;

  /** Connects at the first call. */
  public ControlledCluster(QuorumOptions quorum) {
    this.quorum = quorum;
  }

  @Override
  public List<ServerInfo> servers() throws IOException {
    if (coordinator == null) {
      coordinator = quorum.connect();
    }
    ListServersReply reply;
    try {
      reply = list();
    } catch (IOException noAnswer) {
      close();
      coordinator = quorum.connect();
      reply = list();
    }
    coordinator.requireOk("list servers", reply.getStatus(), reply.getMessage());
    return reply.getServersList();
  }

  private ListServersReply list() throws IOException {
    return coordinator.coordinator(
        stub -> stub.listServers(ListServersRequest.getDefaultInstance()));
  }

  @Override
  public void drain(ServerId server) throws IOException {
    decommission(server, "drain", DecommissionRequest.newBuilder().setStay(true).build());
  }

  @Override
  public void resume(ServerId server) throws IOException {
    decommission(
        server, "cancel the drain", DecommissionRequest.newBuilder().setCancel(true).build());
  }

  /**
   * Decommissions a server: it exits when its data is no longer needed.
   *
   * @param deadlineMs time after which the server exits in any case; 0: none
   * @param move whether the server copies its data to other servers
   */
  public void decommission(ServerId server, long deadlineMs, boolean move) throws IOException {
    decommission(
        server,
        "be decommissioned",
        DecommissionRequest.newBuilder().setDeadlineMs(deadlineMs).setMove(move).build());
  }

  private void decommission(ServerId id, String operation, DecommissionRequest request)
      throws IOException {
    try (ControlChannel server = connect(id)) {
      DecommissionReply reply = server.server(stub -> stub.decommission(request));
      server.requireOk(operation, reply.getStatus(), reply.getMessage());
    }
  }

  @Override
  public long lostRuns(ServerId id) throws IOException {
    try (ControlChannel server = connect(id)) {
      GetStatusReply reply =
          server.server(stub -> stub.getStatus(GetStatusRequest.getDefaultInstance()));
      server.requireOk("report its status", reply.getStatus(), reply.getMessage());
      return reply.getLostRuns();
    }
  }

  private ControlChannel connect(ServerId id) {
    return new ControlChannel(
        "shuffle server", new HostPort(id.getHost(), id.getRpcPort()), quorum.timeoutMs());
  }

  @Override
  public void close() {
    if (coordinator != null) {
      coordinator.close();
      coordinator = null;
    }
  }
}
