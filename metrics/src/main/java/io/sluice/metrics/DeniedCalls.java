package io.sluice.metrics;

import io.sluice.common.auth.CallDenials;
import io.sluice.common.auth.DeniedCall.Cause;
import java.util.Arrays;
import java.util.List;

/**
 * Row of the metric of denied calls of a port.
 *
 * @param cause cause of the denials
 * @param count number of denied calls
 */
public record DeniedCalls(Cause cause, long count) {
  /**
   * The table of a port.
   *
   * @param prefix prefix of the component and the port, such as {@code sluice_coordinator_http_}
   * @param port name of the port for descriptions
   */
  public static MetricTable<DeniedCalls> table(String prefix, String port) {
    return MetricTable.<DeniedCalls>of(prefix, List.of("reason"), row -> List.of(row.cause.name()))
        .counter(
            "calls_denied_total",
            "Calls to the "
                + port
                + " port that were denied before they reached a service: UNAUTHENTICATED (invalid"
                + " credentials), PERMISSION_DENIED (caller without permission), MALFORMED (the"
                + " request is not a message of the method), TOO_LARGE (the request exceeds its"
                + " size limit), TOO_SLOW (not finished within the time limit)",
            DeniedCalls::count)
        .build();
  }

  /** The rows of a port. */
  public static List<DeniedCalls> rows(CallDenials denials) {
    return Arrays.stream(Cause.values())
        .map(cause -> new DeniedCalls(cause, denials.count(cause)))
        .toList();
  }
}
