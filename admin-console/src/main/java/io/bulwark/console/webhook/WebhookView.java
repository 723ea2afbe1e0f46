package io.bulwark.console.webhook;

import io.bulwark.protocol.metadata.Webhook;

/**
 * A webhook without its secret.
 *
 * @param queue names it in a notification configuration of S3
 * @param accessKey whose secret signs the notifications
 */
record WebhookView(String name, String url, String queue, String accessKey) {
    static WebhookView of(Webhook webhook) {
        return new WebhookView(webhook.name(), webhook.url(), webhook.queue(), webhook.accessKey());
    }

    /**
     * A webhook with a new secret.
     *
     * @param secret shown this once
     */
    record Issued(WebhookView webhook, String secret) {
        /** Names the webhook, never the secret. */
        @Override
        public String toString() {
            return webhook.name();
        }
    }
}
