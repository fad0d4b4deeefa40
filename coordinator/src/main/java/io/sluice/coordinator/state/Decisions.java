package io.sluice.coordinator.state;

import io.sluice.coordinator.assign.AssignmentConfig;
import io.sluice.coordinator.assign.AssignmentPlanner;
import io.sluice.coordinator.assign.Eligibility;
import io.sluice.coordinator.cluster.ApplicationConfig;
import io.sluice.coordinator.cluster.ServerTableConfig;
import io.sluice.coordinator.quota.Quotas;

/**
 * All decision classes, made from one configuration. Immutable; a configuration reload makes a new
 * instance, and each request uses one instance.
 */
public record Decisions(
    Eligibility eligibility,
    ApplicationDecisions applications,
    ShuffleDecisions shuffles,
    ServerDecisions servers,
    MoveDecisions moves,
    Listings listings,
    TimeoutDecisions timeouts,
    ServerTableConfig serverPolicy,
    ApplicationConfig applicationPolicy) {

  /**
   * @param quotas shared by all instances: its rules are in separate files
   */
  public static Decisions of(
      ServerTableConfig servers,
      ApplicationConfig applications,
      AssignmentConfig assignment,
      Quotas quotas) {
    Eligibility eligibility =
        new Eligibility(servers.lostAfterMs(), assignment.maxStorageUsedShare());
    ApplicationDecisions applicationDecisions =
        new ApplicationDecisions(applications, eligibility, quotas);
    return new Decisions(
        eligibility,
        applicationDecisions,
        new ShuffleDecisions(
            servers,
            applications,
            applicationDecisions,
            eligibility,
            new AssignmentPlanner(assignment),
            quotas),
        new ServerDecisions(servers, applications, quotas),
        new MoveDecisions(eligibility, new AssignmentPlanner(assignment)),
        new Listings(servers, applications),
        new TimeoutDecisions(servers, applications),
        servers,
        applications);
  }
}
