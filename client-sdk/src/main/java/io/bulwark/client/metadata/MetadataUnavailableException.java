package io.bulwark.client.metadata;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.ReplicatedCall.ReplicaState;
import java.util.SortedMap;
import java.util.stream.Collectors;

/** Too few replicas agreed in time. Whether a command was executed is not known; repeating it is safe. */
public final class MetadataUnavailableException extends MetadataException {
    private static final long serialVersionUID = 1L;

    MetadataUnavailableException(SortedMap<PrincipalId, ReplicaState> replicas, long timeoutMillis) {
        super("no agreement of the metadata replicas within " + timeoutMillis + " ms: " + describe(replicas));
    }

    private static String describe(SortedMap<PrincipalId, ReplicaState> replicas) {
        return replicas.entrySet().stream()
                .map(each -> each.getKey()
                        + switch (each.getValue()) {
                            case SILENT -> " has not answered";
                            case NOT_READY -> " not ready";
                            case OVERLOADED -> " overloaded";
                            case FAILED -> " failed on it";
                            case ANSWERED -> " answered";
                        })
                .collect(Collectors.joining(", "));
    }
}
