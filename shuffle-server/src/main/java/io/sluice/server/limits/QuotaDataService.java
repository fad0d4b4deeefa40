package io.sluice.server.limits;

import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.Push;
import io.sluice.server.service.ClientConnection;
import io.sluice.server.service.DataService;
import io.sluice.server.service.ForwardingDataService;

/**
 * A service that takes nothing more of applications that have reached a quota; what it has is
 * served. The refusal is DENIED: no other server would take it, so that clients do not go round
 * them but leave their blocks in local output. Thread-safe.
 */
public final class QuotaDataService extends ForwardingDataService {
  private final OverQuota overQuota;

  public QuotaDataService(DataService service, OverQuota overQuota) {
    super(service);
    this.overQuota = overQuota;
  }

  @Override
  public void checkPush(ClientConnection connection, Push push, int bodyLength)
      throws SluiceException {
    String reason = overQuota.reason(connection.application());
    if (reason != null) {
      overQuota.refused();
      throw new SluiceException(StatusCode.DENIED, "no space for this application: " + reason);
    }
    super.checkPush(connection, push, bodyLength);
  }
}
