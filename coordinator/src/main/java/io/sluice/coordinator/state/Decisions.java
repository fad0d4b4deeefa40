package io.sluice.coordinator.state;

import io.sluice.coordinator.assign.AssignmentConfig;
import io.sluice.coordinator.assign.AssignmentPlanner;
import io.sluice.coordinator.assign.Eligibility;
import io.sluice.coordinator.cluster.ApplicationConfig;
import io.sluice.coordinator.cluster.ServerTableConfig;
import io.sluice.coordinator.quota.Quotas;

/**
 * Everything that decides by the operator's rules, made of one reading of them. Immutable: a
 * configuration that is read again makes another one, and each request is decided by one of them.
 */
public record Decisions(
    Eligibility eligibility,
    ApplicationDecisions applications,
    ShuffleDecisions shuffles,
    ServerDecisions servers,
    MoveDecisions moves,
    Listings listings,
    Elapsed elapsed,
    ServerTableConfig serverPolicy,
    ApplicationConfig applicationPolicy) {

  /**
   * @param quotas outlives the reading: its rules have files of their own
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
        new Elapsed(servers, applications),
        servers,
        applications);
  }
}
