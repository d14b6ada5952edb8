import './look/base.css';
import { mount } from 'svelte';
import type { ViewKind } from '#protocol/generated/view.gen.ts';
import App from './App.svelte';
import { more } from './load-more.svelte.ts';

const KINDS: readonly ViewKind[] = ['mission-control', 'chat', 'context'];

const target = document.getElementById('view');
const asked = target?.dataset['view'];
const kind = KINDS.find((one) => one === asked) ?? 'mission-control';
if (target !== null) mount(App, { target, props: { kind } });
more.loadWhenIdle();
