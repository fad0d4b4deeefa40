package io.sluice.coordinator.state;

import io.sluice.coordinator.cluster.Application;
import io.sluice.coordinator.cluster.ApplicationConfig;
import io.sluice.coordinator.cluster.ServerTableConfig;
import io.sluice.proto.ApplicationInfo;
import io.sluice.proto.ListApplicationsReply;
import io.sluice.proto.ListServersReply;
import io.sluice.proto.ServerInfo;
import io.sluice.proto.Status;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Makes the replies of the list calls. Pure functions; they change nothing. */
public final class Listings {
  private final ServerTableConfig servers;
  private final ApplicationConfig applications;

  public Listings(ServerTableConfig servers, ApplicationConfig applications) {
    this.servers = servers;
    this.applications = applications;
  }

  /** Returns all servers, by name. */
  public ListServersReply servers(ClusterView view, long nowMs) {
    ListServersReply.Builder reply = ListServersReply.newBuilder().setStatus(Status.OK);
    view.servers()
        .all()
        .forEach(
            server ->
                reply.addServers(
                    ServerInfo.newBuilder()
                        .setServer(server.id())
                        .setState(server.stateAt(nowMs, servers.lostAfterMs(), view.excluded()))
                        .setLoad(server.load())
                        .addAllTags(server.tags())
                        .setLastHeartbeatAgeMs(nowMs - server.heartbeatAtMs())
                        .setAssignedSinceHeartbeat(server.assignedSinceHeartbeat())));
    return reply.build();
  }

  /** Returns the live applications, by name. */
  public ListApplicationsReply applications(ClusterView view, long nowMs) {
    List<Application> live = new ArrayList<>();
    view.applications()
        .forEach(
            application -> {
              if (application.liveAt(nowMs, applications.leaseMs())) {
                live.add(application);
              }
            });
    live.sort(Comparator.comparing(Application::name));
    ListApplicationsReply.Builder reply = ListApplicationsReply.newBuilder().setStatus(Status.OK);
    for (Application application : live) {
      reply.addApplications(
          ApplicationInfo.newBuilder()
              .setApplication(application.name())
              .setUser(application.user())
              .setLeaseRemainingMs(application.leaseRemainingMs(nowMs, applications.leaseMs()))
              .setShuffles(application.shuffleCount())
              .setRegisteredAgeMs(nowMs - application.registeredAtMs()));
    }
    return reply.build();
  }
}
