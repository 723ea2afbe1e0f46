package io.bulwark.gateway.s3.setting;

import io.bulwark.client.EventLogs;

/** Names of the documents that this gateway keeps in a bucket's settings. */
public enum SettingName {
    /** As {@link AccessRules} writes it. */
    ACCESS("s3-access"),
    /** As the request had it. */
    POLICY("s3-policy"),
    CORS("s3-cors"),
    LIFECYCLE("s3-lifecycle"),
    /** Time at which a gateway last followed the rules. */
    LIFECYCLE_TURN("s3-lifecycle-turn"),
    TAGGING("s3-tagging"),
    /** Its presence makes the replicas record events. */
    NOTIFICATION(EventLogs.RULES);

    private final String text;

    SettingName(String text) {
        this.text = text;
    }

    /** Returns the name of the document. */
    public String text() {
        return text;
    }
}
