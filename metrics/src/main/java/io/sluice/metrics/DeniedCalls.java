package io.sluice.metrics;

import io.sluice.common.auth.CallDenials;
import io.sluice.common.auth.DeniedCall.Cause;
import java.util.Arrays;
import java.util.List;

/**
 * The metric of the calls that a port denied.
 *
 * @param cause of all of them
 */
public record DeniedCalls(Cause cause, long count) {
  /**
   * The table of a port.
   *
   * @param prefix of the component and the port, such as {@code sluice_coordinator_http_}
   * @param port what it speaks, for people
   */
  public static MetricTable<DeniedCalls> table(String prefix, String port) {
    return MetricTable.<DeniedCalls>of(prefix, List.of("reason"), row -> List.of(row.cause.name()))
        .counter(
            "calls_denied_total",
            "Calls to the "
                + port
                + " port that ended before a service saw them: UNAUTHENTICATED with a wrong proof,"
                + " PERMISSION_DENIED for callers that may not make them, MALFORMED with a request"
                + " that is not a message of the method, TOO_LARGE beyond the"
                + " limit of the call's request, TOO_SLOW when not finished in time",
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
