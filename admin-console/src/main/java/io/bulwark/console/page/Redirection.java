package io.bulwark.console.page;

import org.springframework.web.servlet.view.RedirectView;
import org.springframework.web.util.UriComponentsBuilder;

/** Redirections after a form was accepted. */
public final class Redirection {
    private Redirection() {}

    /**
     * Redirects to a page of this console.
     *
     * @param path template of the path, such as {@code /buckets/{bucket}}
     * @param values of the path's variables; encoded here
     */
    public static RedirectView to(String path, Object... values) {
        RedirectView view = new RedirectView(UriComponentsBuilder.fromPath(path)
                .encode()
                .buildAndExpand(values)
                .toUriString());
        view.setExpandUriTemplateVariables(false);
        view.setExposeModelAttributes(false);
        return view;
    }

    /** Redirects to a page with one parameter, whose value is encoded here. */
    public static RedirectView to(String path, String bucket, String parameter, String value) {
        RedirectView view = new RedirectView(UriComponentsBuilder.fromPath(path)
                .queryParam(parameter, "{value}")
                .encode()
                .buildAndExpand(bucket, value)
                .toUriString());
        view.setExpandUriTemplateVariables(false);
        view.setExposeModelAttributes(false);
        return view;
    }
}
