package io.bulwark.console.webhook;

import jakarta.servlet.http.HttpServletResponse;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** Page of webhooks. */
@Controller
@RequestMapping("/webhooks")
class WebhookPages {
    private static final String LIST = "webhook/list :: list";

    private final WebhookDirectory directory;

    WebhookPages(WebhookDirectory directory) {
        this.directory = directory;
    }

    @GetMapping
    String list(Model model) {
        fill(model);
        return "webhook/list";
    }

    @GetMapping("/part")
    String part(Model model) {
        fill(model);
        return LIST;
    }

    @PostMapping
    String create(@RequestParam String name, @RequestParam String url, Model model, HttpServletResponse response) {
        return shown(directory.create(name, url), model, response);
    }

    @GetMapping("/{name}/dialog")
    String dialog(@PathVariable String name, Model model) {
        model.addAttribute("chosen", directory.find(name));
        return "webhook/list :: dialog";
    }

    @PostMapping("/{name}")
    String change(@PathVariable String name, @RequestParam String url, Model model) {
        directory.change(name, url, null);
        fill(model);
        return LIST;
    }

    @PostMapping("/{name}/rotation")
    String rotate(@PathVariable String name, @RequestParam int hours, Model model, HttpServletResponse response) {
        return shown(directory.rotate(name, hours), model, response);
    }

    @PostMapping("/{name}/removal")
    String remove(@PathVariable String name, Model model) {
        directory.remove(name, null);
        fill(model);
        return LIST;
    }

    private void fill(Model model) {
        model.addAttribute("webhooks", directory.list());
    }

    private static String shown(WebhookView.Issued issued, Model model, HttpServletResponse response) {
        response.setHeader("Cache-Control", "no-store");
        model.addAttribute("issued", issued);
        return "webhook/list :: issued";
    }
}
