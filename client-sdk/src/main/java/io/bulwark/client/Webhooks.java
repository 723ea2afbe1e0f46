package io.bulwark.client;

import io.bulwark.protocol.metadata.Webhook;
import java.time.Duration;
import java.util.List;

/**
 * Receivers of the events of buckets, which operators name and gateways call. Owners of buckets choose among them, and
 * can make no gateway connect to anything else.
 */
public interface Webhooks {
    /** Returns the webhooks by name; for administrators and gateways. */
    List<Webhook> list();

    /**
     * Names a webhook. It gets an access key of a new client without any rights, whose secret signs the notifications.
     *
     * @param url begins with {@code https://} or {@code http://}
     * @throws io.bulwark.client.error.InvalidRequestException if there is one of this name, or the URL is none
     */
    AccessKeys.Issued create(String name, String url);

    /** Changes the URL of a webhook; its secret stays. */
    void change(String name, String url);

    /**
     * Gives a webhook another secret. Notifications are signed with it from now on.
     *
     * @param overlap for which the old access key stays
     */
    AccessKeys.Issued rotate(String name, Duration overlap);

    /** Removes a webhook and its access key. Events for it wait until their buckets name another one, or are full. */
    void remove(String name);
}
